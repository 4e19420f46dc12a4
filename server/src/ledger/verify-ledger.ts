import type { Database } from "../platform/database/database.ts";
import type { Job } from "../platform/jobs/jobs.ts";
import { recordCheck } from "./ledger-check.store.ts";
import { findLedgerDrift, type LedgerDrift } from "./ledger-drift.store.ts";
import type { Context } from "../context.ts";

export type { LedgerDrift } from "./ledger-drift.store.ts";

const VERIFY_EVERY_MS = 60 * 60 * 1000;

/**
 * Checks that every transaction sums to zero, every balance (minus debt) and bonus is the sum of its entries, entries have no gaps, and
 * every held amount is the sum of its pending holds.
 * @returns the deviations, at most 100 per check; empty for a consistent ledger
 */
export function verifyLedger(db: Database): Promise<LedgerDrift[]> {
  return findLedgerDrift(db);
}

/** Verifies the ledger hourly. Repairs nothing, because drift indicates a bug that must be investigated. */
export function ledgerJobs({ handle, clock, log }: Context): Job[] {
  return [
    {
      name: "verify-ledger",
      everyMs: VERIFY_EVERY_MS,
      async run() {
        const drift = await verifyLedger(handle.db);
        for (const { check, id, expected, actual } of drift)
          log.error({ check, id, expected: String(expected), actual: String(actual) }, "ledger drift");
        await recordCheck(handle.db, { at: clock.now(), deviations: drift.length });
      },
    },
  ];
}
