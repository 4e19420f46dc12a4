/** So that a statement locks and writes little at a time. */
const BATCH = 1_000;
/** Of one run; the next one goes on. */
const MOST_BATCHES = 200;

/** Deletes what has become too old, batch by batch. @param deleteSome deletes so many at most and answers how many it found */
export async function deleteInBatches(signal: AbortSignal, deleteSome: (limit: number) => Promise<number>): Promise<void> {
  for (let batch = 0; batch < MOST_BATCHES && !signal.aborted; batch++) if ((await deleteSome(BATCH)) < BATCH) return;
}
