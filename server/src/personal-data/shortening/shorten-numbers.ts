import { NUMBERS_KEPT_MONTHS } from "@farline/contract/constants.ts";
import { shortenOldCalls } from "./shorten-numbers.store.ts";
import type { Context } from "../../context.ts";

const MAX_BATCHES_PER_RUN = 200;

/** The job that shortens the numbers of old calls once their charges can no longer be disputed. */
export async function shortenNumbers({ handle, clock }: Context, signal: AbortSignal): Promise<void> {
  const before = clock.now();
  before.setUTCMonth(before.getUTCMonth() - NUMBERS_KEPT_MONTHS);
  for (let batch = 0; batch < MAX_BATCHES_PER_RUN && !signal.aborted; batch++)
    if (!(await shortenOldCalls(handle.db, before))) return;
}
