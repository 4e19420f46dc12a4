import { callFilter, type CallFilter, type ExportTicketResponse } from "@farline/contract/call-history.ts";
import { isFreeCall } from "@farline/domain/calls/charge.ts";
import { shownStatus } from "@farline/contract/constants.ts";
import type { Call } from "@farline/contract/calls.ts";
import type { SessionWithCustomer } from "../../accounts/accounts.ts";
import { CSV_START, csvRecord } from "../../platform/csv.ts";
import { issueDownloadTicket, redeemDownloadTicket, type PresentedTicket } from "../../platform/http/download-ticket.ts";
import { presentCalls, contactNumbersOf } from "./read-history.ts";
import { callCondition } from "./call-condition.ts";
import { readCallPage, type After } from "./history.store.ts";
import type { Context } from "../../context.ts";

const SUBJECT = "calls";
const CALLS_AT_ONCE = 1_000;
/** Limits the file to the newest 500,000 calls, which spreadsheets can still open. */
const MAX_PAGES = 500;

const COLUMNS: readonly (readonly [name: string, of: (call: Call) => string])[] = [
  ["Date (UTC)", (call) => call.created_at],
  ["Number", (call) => call.destination_number],
  ["Name", (call) => call.contact_name ?? ""],
  ["Country", (call) => call.destination_country_name],
  ["Number type", (call) => call.number_type],
  ["Status", (call) => shownStatus(call).replaceAll("_", " ")],
  ["End reason", (call) => call.end_reason ?? ""],
  ["Hung up by", (call) => call.hung_up_by ?? ""],
  ["Answered (UTC)", (call) => call.answered_at ?? ""],
  ["Ended (UTC)", (call) => call.ended_at ?? ""],
  ["Duration (seconds)", (call) => String(call.duration_seconds)],
  ["Charged (seconds)", (call) => String(call.billed_seconds)],
  ["First block (seconds)", (call) => String(call.first_interval_s)],
  ["Next blocks (seconds)", (call) => String(call.next_interval_s)],
  ["Rate per minute (USD)", (call) => call.rate_per_minute],
  ["Cost (USD)", (call) => call.cost],
  ["Paid (USD)", (call) => (isFreeCall(call, call.cost) ? "0.00" : call.cost)],
  ["Matched prefix", (call) => call.rate_prefix],
  ["Price list of", (call) => call.deck_effective_at],
  ["Call ID", (call) => call.id],
];

/** Issues a ticket for the download of the calls that match the filter. */
export async function issueExportTicket(
  ctx: Context,
  owner: SessionWithCustomer,
  filter: CallFilter,
): Promise<ExportTicketResponse> {
  const { ticket, expiresAt } = await issueDownloadTicket(ctx, { owner, subject: SUBJECT, facts: filter });
  return { ticket, expires_at: expiresAt.toISOString() };
}

/**
 * Streams the ticket's calls as a CSV file, newest first.
 * @throws AppError link_expired if the ticket is not valid
 */
export async function exportCalls(
  ctx: Context,
  ticket: PresentedTicket,
): Promise<{ fileName: string; records: AsyncIterable<string> }> {
  const { customerId, facts } = await redeemDownloadTicket(ctx, { ticket, subject: SUBJECT });
  const filter = callFilter.parse(facts);
  const day = ctx.clock.now().toISOString().slice(0, 10);
  return { fileName: `farline-calls-${day}.csv`, records: records(ctx, customerId, filter) };
}

/** All of a customer's calls as a CSV file, newest first. */
export function callsCsv(ctx: Context, customerId: string): AsyncIterable<string> {
  return records(ctx, customerId, {});
}

async function* records({ handle }: Context, customerId: string, filter: CallFilter): AsyncIterable<string> {
  const condition = await callCondition(filter, contactNumbersOf(handle.db, customerId));
  yield CSV_START + csvRecord(COLUMNS.map(([name]) => name));
  let after: After | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const rows = await readCallPage(handle.db, customerId, { condition, after, limit: CALLS_AT_ONCE });
    const calls = await presentCalls(handle.db, customerId, rows);
    yield calls.map((call) => csvRecord(COLUMNS.map(([, of]) => of(call)))).join("");
    const last = rows.at(-1);
    if (last === undefined || rows.length < CALLS_AT_ONCE) return;
    after = { createdAt: last.created_at, id: last.id };
  }
}
