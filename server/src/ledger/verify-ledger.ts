import type { Logger } from "pino";
import type { Database } from "../platform/database/database.ts";
import type { Job } from "../platform/jobs/jobs.ts";
import { findLedgerDrift, type LedgerDrift } from "./ledger-drift.store.ts";

export type { LedgerDrift } from "./ledger-drift.store.ts";

const VERIFY_EVERY_MS = 60 * 60 * 1000;

/**
 * Checks the ledger against itself: every transaction sums to zero, every balance less debt and every bonus is the sum of its
 * entries, entries have no gaps, and what is held is the sum of the pending holds.
 * @returns every place that does not fit (at most 100 for each check); empty for a sound ledger.
 */
export function verifyLedger(db: Database): Promise<LedgerDrift[]> {
  return findLedgerDrift(db);
}

/** The hourly check. Nothing is repaired: drift means a fault, and a person has to look. */
export function ledgerJobs(deps: { db: Database; log: Logger }): Job[] {
  return [
    {
      name: "verify-ledger",
      everyMs: VERIFY_EVERY_MS,
      async run() {
        for (const { check, id, expected, actual } of await verifyLedger(deps.db))
          deps.log.error({ check, id, expected: String(expected), actual: String(actual) }, "ledger drift");
      },
    },
  ];
}
