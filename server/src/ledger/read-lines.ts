import { AppError } from "../platform/http/app-error.ts";
import { ledgerStore, type EntryRow, type LedgerTx } from "./ledger.store.ts";
import type { LedgerKind } from "./ledger.tables.ts";

/** One line of a customer's account. */
export interface LedgerLine {
  id: string;
  /** Position in the account, 1 for its first line. */
  sequence: bigint;
  kind: LedgerKind;
  description: string;
  /** Signed change of the balance. */
  amountMicros: bigint;
  /** Signed; the part of it that is bonus. */
  bonusMicros: bigint;
  /** Balance less debt after this entry; below zero while there is debt. */
  balanceAfterMicros: bigint;
  /** The call or payment behind it. */
  referenceId: string | null;
  createdAt: Date;
}

/** Kinds that the account page filters together. */
export type LedgerGroup = "all" | "top_ups" | "calls" | "refunds" | "bonus";

const KINDS: Readonly<Record<Exclude<LedgerGroup, "all">, readonly LedgerKind[]>> = {
  top_ups: ["top_up", "test_credit"],
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

/** An account over a time span: opening + the amounts of all lines = closing. */
export interface LedgerStatement {
  /** Balance less debt before the first line. */
  openingMicros: bigint;
  /** Balance less debt after the last line. */
  closingMicros: bigint;
  /** Number of lines. */
  entries: number;
  /** The lines, oldest first, read in chunks. They never change, so no snapshot is needed. */
  lines(): AsyncGenerator<LedgerLine, void, void>;
}

const LINES_OF_A_PIECE = 1_000;

/**
 * One page of the account's matching lines, newest first.
 * @throws AppError malformed_request for an invalid cursor
 */
export async function readPage(tx: LedgerTx, customerId: string, query: LedgerPageQuery): Promise<LedgerPage> {
  const { limit, group = "all" } = query;
  const after = query.from === undefined ? 0n : await entriesBefore(tx, customerId, query.from);
  const upTo = query.to === undefined ? await entryCount(tx, customerId) : await entriesBefore(tx, customerId, query.to);
  const shownBefore = query.cursor === undefined ? upTo : parseCursor(query.cursor) - 1n;
  const pageEnd = shownBefore < upTo ? shownBefore : upTo;
  const rows = await readGroup(tx, group, [customerId, after, pageEnd, limit + 1]);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    rows: shown.map(toLine),
    nextCursor: rows.length > limit && last !== undefined ? String(last.sequence) : null,
    total: await countGroup(tx, group, [customerId, after, upTo]),
  };
}

/** The account's statement from `from` until before `to`. */
export async function readStatement(
  tx: LedgerTx,
  customerId: string,
  { from, to }: { from: Date; to: Date },
): Promise<LedgerStatement> {
  const bounds = only(await ledgerStore.statementBounds(tx, [customerId, from, to]));
  return {
    openingMicros: bounds.opening_micros,
    closingMicros: bounds.closing_micros,
    entries: Number(bounds.closed_at - bounds.opened_at),
    async *lines() {
      for (let after = bounds.opened_at; after < bounds.closed_at; after += BigInt(LINES_OF_A_PIECE))
        for (const row of await ledgerStore.readStatementLines(tx, [customerId, after, bounds.closed_at, LINES_OF_A_PIECE]))
          yield toLine(row);
    },
  };
}

export function toLine(row: EntryRow): LedgerLine {
  return {
    id: row.id,
    sequence: row.sequence,
    kind: row.kind,
    description: row.description,
    amountMicros: row.amount_micros,
    bonusMicros: row.bonus_micros,
    balanceAfterMicros: row.balance_after_micros,
    referenceId: row.reference_id,
    createdAt: row.created_at,
  };
}

/** The only row of a result. */
export function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error("The ledger has no such account.");
  return row;
}

type Range = [customerId: string, after: bigint, upTo: bigint];

function readGroup(tx: LedgerTx, group: LedgerGroup, values: [...Range, limit: number]): Promise<EntryRow[]> {
  if (group === "all") return ledgerStore.readAllLines(tx, values);
  if (group === "calls") return ledgerStore.readCallLines(tx, values);
  return ledgerStore.readOtherLines(tx, [...values, KINDS[group]]);
}

/** Calls are all entries less the others, because counting them directly would read nearly every entry. */
async function countGroup(tx: LedgerTx, group: LedgerGroup, [customerId, after, upTo]: Range): Promise<number> {
  const all = upTo > after ? upTo - after : 0n;
  if (group === "all") return Number(all);
  const { others, matching } = only(await ledgerStore.countOthers(tx, [customerId, after, upTo, KINDS[group]]));
  return Number(group === "calls" ? all - others + matching : matching);
}

async function entryCount(tx: LedgerTx, customerId: string): Promise<bigint> {
  return only(await ledgerStore.readAccount(tx, customerId)).entry_count;
}

async function entriesBefore(tx: LedgerTx, customerId: string, moment: Date): Promise<bigint> {
  return only(await ledgerStore.entriesBefore(tx, [customerId, moment])).entries;
}

function parseCursor(cursor: string): bigint {
  if (!/^[1-9]\d{0,17}$/.test(cursor)) throw new AppError("malformed_request", "This page of the list does not exist.");
  return BigInt(cursor);
}
