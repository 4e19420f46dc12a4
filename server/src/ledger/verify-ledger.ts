import { DAY_MS } from "@farline/domain/durations.ts";
import type { Logger } from "pino";
import type { Clock } from "../platform/clock.ts";
import type { Database, DatabaseHandle, Transaction } from "../platform/database/database.ts";
import type { Job } from "../platform/jobs/jobs.ts";
import {
  findDrift,
  findMovedCustomers,
  latestCheck,
  type LedgerCheck,
  type LedgerDrift,
  markAccounts,
  onSnapshot,
  recordCheck,
} from "./ledger-drift.store.ts";
import { LATE_COMMIT_MS } from "./ledger-hours.ts";

export type { LedgerDrift } from "./ledger-drift.store.ts";

/** What the ledger needs of a context. It knows no other subject. */
export interface LedgerContext {
  readonly handle: DatabaseHandle;
  readonly clock: Clock;
  readonly log: Logger;
}

const VERIFY_EVERY_MS = 60 * 60 * 1000;
/** A check since the latest good one cannot see a change of older rows. */
const WHOLE_EVERY_MS = DAY_MS;
/** An hour may be summed after the check that has read its bookings. If the job is later than this, the whole check reads the sums. */
const SUMMED_WITHIN_MS = 2 * 60 * 60 * 1000;
/** No call lasts longer. */
const LONGEST_HOLD_MS = DAY_MS;

/**
 * Checks that every transaction sums to zero, every balance (minus debt) and bonus is the sum of its entries, entries have no gaps, every
 * held amount is the sum of its pending holds, and every hour's sums are those of its entries.
 * @returns the deviations, at most 100 per check; empty for a consistent ledger
 */
export function verifyLedger(db: Database): Promise<LedgerDrift[]> {
  return onSnapshot(db, (tx) => findDrift(tx, "all"));
}

/**
 * Checks what was booked since the latest check, or everything: once a day, after a deviation, and on command. Changes of older rows,
 * which no program makes, are found only by the whole check. The log names each deviation.
 * @param order.whole whether to check everything in any case
 */
export async function checkLedger(
  { handle: { db }, clock, log }: LedgerContext,
  order: { readonly whole: boolean },
): Promise<LedgerDrift[]> {
  const now = clock.now();
  const last = await latestCheck(db);
  const since = order.whole ? null : goodSince(last, now);
  const { drift, snapshotAt } = await onSnapshot(db, async (tx, at) => ({
    drift: since === null ? await findDrift(tx, "all") : await checkSince(tx, since),
    snapshotAt: at,
  }));
  for (const { check, id, expected, actual } of drift)
    log.error({ check, id, expected: String(expected), actual: String(actual) }, "ledger drift");
  await recordCheck(db, {
    at: now,
    deviations: drift.length,
    bookedTo: snapshotAt,
    wholeAt: since === null ? now : (last?.wholeAt ?? null),
  });
  return drift;
}

/** Verifies the ledger hourly. Repairs nothing, because drift indicates a bug that must be investigated. */
export function ledgerJobs(ctx: LedgerContext): Job[] {
  return [
    {
      name: "verify-ledger",
      everyMs: VERIFY_EVERY_MS,
      async run() {
        await checkLedger(ctx, { whole: false });
      },
    },
  ];
}

/** Up to when all bookings are known to be right; null if everything must be checked. */
function goodSince(last: LedgerCheck | null, now: Date): Date | null {
  if (last === null || last.deviations > 0 || last.bookedTo === null || last.wholeAt === null) return null;
  return now.getTime() - last.wholeAt.getTime() < WHOLE_EVERY_MS ? last.bookedTo : null;
}

async function checkSince(tx: Transaction, bookedTo: Date): Promise<LedgerDrift[]> {
  const since = new Date(bookedTo.getTime() - LATE_COMMIT_MS);
  const holdsSince = new Date(bookedTo.getTime() - LONGEST_HOLD_MS);
  const customers = await findMovedCustomers(tx, { since, holdsSince });
  const hoursSince = new Date(since.getTime() - SUMMED_WITHIN_MS);
  const drift = await findDrift(tx, { since, holdsSince, hoursSince, customers });
  const wrong = new Set(drift.map(({ id }) => id));
  await markAccounts(
    tx,
    customers.filter((id) => !wrong.has(id)),
  );
  return drift;
}
