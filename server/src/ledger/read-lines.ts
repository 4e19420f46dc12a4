import type { Tx } from "../platform/database/database.ts";
import { callFunction, readFunction } from "../platform/database/prepared.ts";
import { pageOf, readCursor } from "../platform/read-cursor.ts";
import { mapErrors } from "./ledger-error.ts";
import * as store from "./ledger.store.ts";
import type { LedgerLine, Span } from "./ledger.store.ts";
import type { LedgerKind } from "./ledger.tables.ts";

/** Groups of kinds that the account page filters by. */
export type LedgerGroup = "all" | "top_ups" | "calls" | "refunds" | "bonus";

const KINDS: Readonly<Record<Exclude<LedgerGroup, "all">, readonly LedgerKind[]>> = {
  top_ups: ["top_up", "test_credit", "gift"],
  calls: ["call", "call_refund"],
  refunds: ["refund", "withdrawal", "refund_failed", "dispute", "dispute_won", "write_off", "adjustment"],
  bonus: ["bonus"],
};

export interface LedgerPageQuery {
  /** `nextCursor` of the previous page. */
  cursor?: string;
  limit: number;
  /** Default: all. */
  group?: LedgerGroup;
  /** Booked at this time or later. */
  from?: Date;
  /** Booked before this time. */
  to?: Date;
}

export interface LedgerPage {
  rows: LedgerLine[];
  nextCursor: string | null;
  /** Matching entries on all pages. */
  total: number;
}

/** An account over a time span: opening balance + amounts of all lines = closing balance. */
export interface LedgerStatement {
  /** Balance minus debt before the first line. */
  openingMicros: bigint;
  /** Balance minus debt after the last line. */
  closingMicros: bigint;
  /** Number of lines. */
  entries: number;
  /** The lines, oldest first, read in chunks. They are immutable, so no snapshot is needed. */
  lines(): AsyncGenerator<LedgerLine, void, void>;
}

const LINES_OF_A_PIECE = 1_000;
/** The sequence number of the last line shown. */
const CURSOR = /^([1-9]\d{0,17})$/;

/**
 * One page of the account's matching lines, newest first.
 * @throws AppError malformed_request for an invalid cursor
 */
export async function readPage(tx: Tx, customerId: string, query: LedgerPageQuery): Promise<LedgerPage> {
  const { limit, group = "all" } = query;
  const after = query.from === undefined ? 0n : await entriesBefore(tx, customerId, query.from);
  const upTo = query.to === undefined ? await countEntries(tx, customerId) : await entriesBefore(tx, customerId, query.to);
  const shownBefore = readCursor(query.cursor, CURSOR, (sequence) => BigInt(sequence) - 1n) ?? upTo;
  const pageEnd = shownBefore < upTo ? shownBefore : upTo;
  const rows = await readGroup(tx, group, { customerId, after, upTo: pageEnd }, limit + 1);
  const { shown, next } = pageOf(rows, limit, ({ sequence }) => String(sequence));
  return { rows: shown, nextCursor: next, total: await countGroup(tx, group, { customerId, after, upTo }) };
}

/** The account's statement from `from` (inclusive) to `to` (exclusive). */
export async function readStatement(
  tx: Tx,
  customerId: string,
  { from, to }: { from: Date; to: Date },
): Promise<LedgerStatement> {
  const [bounds] = await mapErrors(readFunction<StatementBounds>(tx, "statement_bounds", { customerId, from, to }));
  const { opened_at: openedAt, closed_at: upTo, opening_micros, closing_micros } = only(bounds);
  return {
    openingMicros: opening_micros,
    closingMicros: closing_micros,
    entries: Number(upTo - openedAt),
    async *lines() {
      for (let after = openedAt; after < upTo; after += BigInt(LINES_OF_A_PIECE))
        yield* await store.readOldestLines(tx, { customerId, after, upTo }, LINES_OF_A_PIECE);
    },
  };
}

interface StatementBounds {
  opened_at: bigint;
  closed_at: bigint;
  opening_micros: bigint;
  closing_micros: bigint;
}

/** Returns the row of an account that must exist. */
export function only<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Error("The ledger has no such account.");
  return row;
}

function readGroup(tx: Tx, group: LedgerGroup, span: Span, limit: number): Promise<LedgerLine[]> {
  if (group === "all") return store.readAllLines(tx, span, limit);
  if (group === "calls") return store.readCallLines(tx, span, limit);
  return store.readOtherLines(tx, span, limit, KINDS[group]);
}

/** Counts calls as all entries minus the others, because counting them directly would read nearly every entry. */
async function countGroup(tx: Tx, group: LedgerGroup, span: Span): Promise<number> {
  const all = span.upTo > span.after ? span.upTo - span.after : 0n;
  if (group === "all") return Number(all);
  const { others, matching } = await store.countOthers(tx, span, KINDS[group]);
  return Number(group === "calls" ? all - others + matching : matching);
}

async function countEntries(tx: Tx, customerId: string): Promise<bigint> {
  return only(await store.readAccount(tx, customerId)).entryCount;
}

function entriesBefore(tx: Tx, customerId: string, moment: Date): Promise<bigint> {
  return callFunction(tx, "entries_before", { customerId, moment });
}
