import type { CallFilter, CalledCountriesResponse, TotalsResponse } from "@farline/contract/call-history.ts";
import type { HistoryResponse, Call } from "@farline/contract/calls.ts";
import type { MemberCallsResponse } from "@farline/contract/family/family.ts";
import { englishNameOf } from "@farline/domain/countries/countries.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { pageOf, readCursor } from "../../platform/read-cursor.ts";
import { callCondition, type ContactNumbers } from "./call-condition.ts";
import { countCallsByCountry, readCallPage, readMemberCalls, sumCalls, type After } from "./history.store.ts";
import type { Context } from "../../context.ts";
import { contactNumbers, contactNumbersFor, contactNames } from "../../contacts/contacts.ts";
import { showsNumbers } from "../../family/family.ts";
import type { Tx } from "../../platform/database/database.ts";
import { seenBy } from "../record/call-columns.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { presentCall } from "../record/present-call.ts";
import { AppError } from "../../platform/app-error.ts";
import { nameCall } from "../../platform/log.ts";
import type { CallContext } from "../call-context.ts";
import { isTicketOf } from "../record/call-secrets.ts";
import { findCallById, findCallOf } from "../record/call.store.ts";

const MAX_MEMBER_CALLS = 100;

/** Time (ms since 1970) and id of the previous page's last call, and the list's total when its first page was read. */
const CURSOR = /^(\d{1,14})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.(\d{1,9})$/i;

/** A page of the customer's calls that match the filter, newest first. */
export async function readCallHistory(
  { handle }: Context,
  customer: Customer,
  { cursor, limit, ...filter }: CallFilter & { cursor?: string | undefined; limit: number },
): Promise<HistoryResponse> {
  const begin = readCursor(cursor, CURSOR, beginOf);
  const condition = await callCondition(filter, contactNumbersOf(handle.db, customer.id));
  const [rows, total] = await Promise.all([
    readCallPage(handle.db, customer.id, { condition, after: begin?.after ?? null, limit: limit + 1 }),
    // Counted once per list, because counting is the most expensive part of long lists.
    begin?.total ?? sumCalls(handle.db, customer.id, condition).then(({ calls }) => calls),
  ]);
  const { shown, next } = pageOf(rows, limit, (last) => `${last.created_at.getTime()}.${last.id}.${total}`);
  return { calls: { data: await presentCalls(handle.db, customer.id, shown), next_cursor: next, total } };
}

/** Totals of all calls that match the filter. */
export async function readCallTotals({ handle }: Context, customer: Customer, filter: CallFilter): Promise<TotalsResponse> {
  const condition = await callCondition(filter, contactNumbersOf(handle.db, customer.id));
  const { calls, answered, seconds, paidMicros } = await sumCalls(handle.db, customer.id, condition);
  return { totals: { calls, answered, seconds, cost: toDecimalString(paidMicros) } };
}

/** The countries the customer has called, by name. */
export async function readCalledCountries({ handle }: Context, customer: Customer): Promise<CalledCountriesResponse> {
  const rows = await countCallsByCountry(handle.db, customer.id);
  const countries = rows.map(({ country_code, calls }) => ({ country_code, country_name: englishNameOf(country_code), calls }));
  return { countries: countries.toSorted((a, b) => a.country_name.localeCompare(b.country_name, "en")) };
}

function beginOf(ms: string, id: string, total: string): { after: After; total: number } {
  return { after: { createdAt: new Date(Number(ms)), id }, total: Number(total) };
}

/** Looks up one customer's contacts for a filter. */
export function contactNumbersOf(tx: Tx, customerId: string): ContactNumbers {
  return {
    ofContact: (contactId) => contactNumbers(tx, customerId, contactId),
    ofNames: (text) => contactNumbersFor(tx, customerId, text),
  };
}

/** Calls as their customer sees them, with the current contact names. */
export async function presentCalls(tx: Tx, customerId: string, calls: readonly CallRow[]): Promise<Call[]> {
  const numbers = calls.map((call) => call.destination);
  const names = await contactNames(tx, customerId, numbers);
  return calls.map((call) => presentCall(call, names.get(call.destination) ?? null));
}

/** One call, with its contact's name. */
export async function presentNamedCall(tx: Tx, call: CallRow): Promise<Call> {
  const names = await contactNames(tx, call.customer_id, [call.destination]);
  return presentCall(call, names.get(call.destination) ?? null);
}

/**
 * The newest calls of a member on the credit of their family's owner.
 * @throws AppError not_found if the owner has no such member, or they do not show their numbers
 */
export async function readCallsOfMember(
  { handle }: Context,
  of: { ownerId: string; memberId: string },
): Promise<MemberCallsResponse> {
  const isShown = isUuid(of.memberId) && (await showsNumbers(handle.db, of));
  if (!isShown) throw new AppError("not_found", { reason: "family_numbers_hidden" });
  const calls = await readMemberCalls(handle.db, { ...of, limit: MAX_MEMBER_CALLS });
  return { calls: calls.map((call) => ({ ...seenBy("owner", call), duration_seconds: Math.ceil(call.duration_ms / 1000) })) };
}

/** @throws AppError not_found, also for other customers' calls and for malformed ids */
export async function readCall(ctx: CallContext, customer: Customer, id: string): Promise<CallRow> {
  const call = isUuid(id) ? await findCallOf(ctx.handle.db, customer.id, id) : undefined;
  if (call === undefined) throw new AppError("not_found", { reason: "call_unknown" });
  nameCall(call);
  return call;
}

/** For a closing page, which cannot send its bearer token. @throws AppError not_found if the ticket belongs to another call */
export async function readCallByTicket(ctx: CallContext, id: string, ticket: string): Promise<CallRow> {
  const call = isUuid(id) ? await findCallById(ctx.handle.db, id) : undefined;
  if (call === undefined || !isTicketOf(call, ticket)) throw new AppError("not_found", { reason: "call_unknown" });
  nameCall(call);
  return call;
}
