import { DAY_MS } from "@farline/domain/durations.ts";
import type { Database, Transact } from "../platform/database/database.ts";
import type { Span } from "../platform/split-span.ts";
import { onSnapshot } from "./ledger-drift.store.ts";
import {
  type BooksLine,
  type Credit,
  lockUnsummed,
  type Movement,
  readAccountTotals,
  readCreditChange,
  readMovements,
  sumHours,
} from "./ledger-hours.store.ts";

/** Bookings carry the time at which they are written, and become visible later: at their transaction's end. */
export const LATE_COMMIT_MS = 10 * 60 * 1000;
/** Before the first booking, and after the last. */
const BEGINNING = new Date(0);
const END = new Date("9999-12-31T00:00:00Z");

/** Customers' credit at both ends of a span, and what moved it. Each of the three comes from other figures of the ledger. */
export interface LedgerSpan<Line extends string = string> {
  /** By the running balances of the accounts' latest entries. */
  readonly opening: Credit;
  readonly closing: Credit;
  readonly movements: readonly Movement<Line>[];
  /** The accounts as they are now, less all entries since the end of the span. */
  readonly accounts: Pick<Credit, "micros" | "bonusMicros">;
}

/**
 * Reads a span from one snapshot, so that bookings in progress cannot tear it. Whole hours are read from their sums, the others from the
 * entries.
 * @param line must be the same as that of `sumLedgerHours`
 */
export function readLedgerSpan<Line extends string>(db: Database, span: Span, line: BooksLine): Promise<LedgerSpan<Line>> {
  return onSnapshot(db, async (tx) => {
    const opening = await readCreditChange(tx, { from: BEGINNING, to: span.from });
    const change = await readCreditChange(tx, span);
    const since = await readMovements(tx, { from: span.to, to: END }, line);
    const accounts = await readAccountTotals(tx);
    return {
      opening,
      closing: {
        micros: opening.micros + change.micros,
        bonusMicros: opening.bonusMicros + change.bonusMicros,
        owedMicros: opening.owedMicros + change.owedMicros,
      },
      movements: await readMovements<Line>(tx, span, line),
      accounts: {
        micros: since.reduce((left, { micros }) => left - micros, accounts.micros),
        bonusMicros: since.reduce((left, { bonusMicros }) => left - bonusMicros, accounts.bonusMicros),
      },
    };
  });
}

/**
 * Job: sums the hours whose bookings are all in, once. Entries never change, so a sum never does, and no posting waits for one. The
 * ledger's check compares them with the entries.
 */
export async function sumLedgerHours(
  { transaction }: { readonly transaction: Transact },
  line: BooksLine,
  signal: AbortSignal,
): Promise<void> {
  const sumNext = () =>
    transaction(async (tx) => {
      const open = await lockUnsummed(tx, { lateMs: LATE_COMMIT_MS });
      if (open === null || open.from >= open.to) return false;
      const to = new Date(Math.min(open.from.getTime() + DAY_MS, open.to.getTime()));
      await sumHours(tx, { from: open.from, to }, line);
      return to < open.to;
    });
  while (!signal.aborted && (await sumNext()));
}
