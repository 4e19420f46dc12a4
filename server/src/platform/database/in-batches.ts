/** Keeps each statement's locks and writes small. */
const BATCH = 1_000;
/** Per run; the next run continues. */
const MAX_BATCHES = 200;

/** Deletes expired rows in batches. @param deleteSome deletes at most this many rows and returns how many it deleted */
export async function deleteInBatches(signal: AbortSignal, deleteSome: (limit: number) => Promise<number>): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch++) if ((await deleteSome(BATCH)) < BATCH) return;
}
