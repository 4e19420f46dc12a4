import { NUMBERS_KEPT_MONTHS } from "@farline/contract/constants.ts";
import type { Job } from "../platform/jobs/jobs.ts";
import { prepareExports } from "./export/prepare-exports.ts";
import { eraseAccounts } from "./erasure/erase-accounts.ts";
import type { Context } from "../context.ts";
import { shortenOldCalls } from "./shorten-numbers.store.ts";

export { endExports } from "./export/request-export.ts";
export { personalDataVerbs, readClosingAccountOf } from "./operator-orders.ts";
export { personalDataRoutes } from "./personal-data-routes.ts";

const MAX_BATCHES_PER_RUN = 200;
const PREPARE_EVERY_MS = 5_000;
const ERASE_EVERY_MS = 60_000;
const SHORTEN_EVERY_MS = 6 * 60 * 60 * 1000;

/** Prepares requested copies, erases accounts that are due, and shortens old phone numbers. */
export function personalDataJobs(ctx: Context): Job[] {
  return [
    { name: "prepare-exports", everyMs: PREPARE_EVERY_MS, run: (signal) => prepareExports(ctx, signal) },
    { name: "erase-accounts", everyMs: ERASE_EVERY_MS, run: (signal) => eraseAccounts(ctx, signal) },
    { name: "shorten-numbers", everyMs: SHORTEN_EVERY_MS, run: (signal) => shortenNumbers(ctx, signal) },
  ];
}

/** The job that shortens the numbers of old calls once their charges can no longer be disputed. */
export async function shortenNumbers({ handle, clock }: Context, signal: AbortSignal): Promise<void> {
  const before = clock.now();
  before.setUTCMonth(before.getUTCMonth() - NUMBERS_KEPT_MONTHS);
  for (let batch = 0; batch < MAX_BATCHES_PER_RUN && !signal.aborted; batch++)
    if (!(await shortenOldCalls(handle.db, before))) return;
}
