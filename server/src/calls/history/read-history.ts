import type { CallFilter } from "@farline/contract/call-history.ts";
import type { HistoryResponse } from "@farline/contract/calls.ts";
import type { CalledCountriesResponse, TotalsResponse } from "@farline/contract/call-history.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { readCursor } from "../../platform/read-cursor.ts";
import { presentCalls } from "./present-calls.ts";
import { callCondition } from "./call-condition.ts";
import { contactNumbersOf } from "./contact-numbers.ts";
import { countCallsByCountry, readCallPage, sumCalls, type After } from "./history.store.ts";
import type { Context } from "../../context.ts";

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
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? `${last.created_at.getTime()}.${last.id}.${total}` : null;
  return { calls: { data: await presentCalls(handle.db, customer.id, shown), next_cursor: nextCursor, total } };
}

/** Totals of all calls that match the filter. */
export async function readCallTotals({ handle }: Context, customer: Customer, filter: CallFilter): Promise<TotalsResponse> {
  const condition = await callCondition(filter, contactNumbersOf(handle.db, customer.id));
  const { calls, answered, seconds, chargeMicros } = await sumCalls(handle.db, customer.id, condition);
  return { totals: { calls, answered, seconds, cost: toDecimalString(chargeMicros) } };
}

/** The countries the customer has called, by name. */
export async function readCalledCountries({ handle }: Context, customer: Customer): Promise<CalledCountriesResponse> {
  const rows = await countCallsByCountry(handle.db, customer.id);
  const countries = rows.map(({ country_code, calls }) => ({ country_code, country_name: nameOf(country_code), calls }));
  return { countries: countries.toSorted((a, b) => a.country_name.localeCompare(b.country_name, "en")) };
}

function nameOf(countryCode: string): string {
  return countryByCode(countryCode)?.name ?? countryCode;
}

function beginOf(ms: string, id: string, total: string): { after: After; total: number } {
  return { after: { createdAt: new Date(Number(ms)), id }, total: Number(total) };
}
