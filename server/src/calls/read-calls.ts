import type { HistoryResponse } from "@farline/contract/calls.ts";
import type { Customer } from "../accounts/accounts.ts";
import { AppError } from "../platform/app-error.ts";
import type { CallMachinery } from "./call-machinery.ts";
import { countCalls, findCallOf, readHistory } from "./call.store.ts";
import type { CallRow } from "./calls.tables.ts";
import { presentCall } from "./present-call.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Milliseconds since 1970 and the id of the last call shown. */
const CURSOR = /^(\d{1,14})\.([0-9a-f-]{36})$/i;

/** @throws AppError not_found, also for calls of others and for what is no id at all */
export async function readCall(m: Pick<CallMachinery, "handle">, customer: Customer, id: string): Promise<CallRow> {
  const call = UUID.test(id) ? await findCallOf(m.handle.db, customer.id, id) : undefined;
  if (call === undefined) throw new AppError("not_found", "The requested call could not be found");
  return call;
}

/** The customer's calls, newest first, a page at a time. */
export async function readCallHistory(
  m: Pick<CallMachinery, "handle">,
  customer: Customer,
  page: { cursor?: string | undefined; limit: number },
): Promise<HistoryResponse> {
  const before = page.cursor === undefined ? null : parseCursor(page.cursor);
  const [rows, total] = await Promise.all([
    readHistory(m.handle.db, customer.id, { before, limit: page.limit + 1 }),
    countCalls(m.handle.db, customer.id),
  ]);
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const nextCursor = rows.length > page.limit && last !== undefined ? `${last.created_at.getTime()}.${last.id}` : null;
  return { calls: { data: shown.map(presentCall), next_cursor: nextCursor, total } };
}

function parseCursor(cursor: string): { createdAt: Date; id: string } {
  const [, ms, id] = CURSOR.exec(cursor) ?? [];
  if (ms === undefined || id === undefined || !UUID.test(id))
    throw new AppError("malformed_request", "This page of the list does not exist.");
  return { createdAt: new Date(Number(ms)), id };
}
