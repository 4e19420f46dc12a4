import type { LockMode } from "./database.ts";
import { AppError } from "../app-error.ts";
import { withoutLogContext } from "../log.ts";

export interface Batches<Request, Answer> {
  readonly maxBatchSize: number;
  /** Batches that may run at once. */
  readonly maxConcurrentBatches: number;
  /** Once this many requests wait, more are refused. */
  readonly maxQueued: number;
  /** Two requests with one key never share a batch. */
  keyOf(request: Request): string;
  /** Other keys that no two requests of a batch share. */
  alsoLocks?(request: Request): readonly string[];
  /**
   * Answers each request as it would alone.
   * @returns the answers by key, without requests whose rows the lock mode `skip` left out
   */
  run(requests: readonly Request[], lock: LockMode): Promise<ReadonlyMap<string, Answer>>;
}

/** How many batches may leave a request out before it runs alone. */
const MAX_LEFT_OUT = 2;

interface Waiting<Request, Answer> {
  readonly request: Request;
  /** The batches that left it out. */
  leftOut: number;
  readonly answer: PromiseWithResolvers<Answer>;
}

/**
 * Runs waiting requests together in batches. A request that its batch left out joins the next ones; after `MAX_LEFT_OUT`, or if its batch
 * failed, it runs alone, and others do not wait for it.
 * @returns a function that submits a request; it throws what `run` throws, and AppError `unavailable` when too many wait
 */
export function batched<Request, Answer>(batches: Batches<Request, Answer>): (request: Request) => Promise<Answer> {
  let waiting: Waiting<Request, Answer>[] = [];
  let running = 0;

  const runAlone = async ({ request, answer }: Waiting<Request, Answer>) => {
    try {
      const found = await batches.run([request], "wait");
      if (!found.has(batches.keyOf(request))) throw new Error("A request that runs alone must be answered.");
      answer.resolve(found.get(batches.keyOf(request)) as Answer);
    } catch (error) {
      answer.reject(error);
    }
  };

  const runWaiting = async () => {
    while (waiting.length > 0) {
      const { batch, rest } = nextBatch(waiting, batches);
      waiting = rest;
      const requests = batch.map(({ request }) => request);
      const found = await batches.run(requests, "skip").catch(() => null);
      for (const one of batch) {
        const key = batches.keyOf(one.request);
        one.leftOut += 1;
        if (found?.has(key)) one.answer.resolve(found.get(key) as Answer);
        else if (found === null || one.leftOut >= MAX_LEFT_OUT) void runAlone(one);
        else waiting.unshift(one);
      }
      // Callers just answered may enqueue again before the next batch starts.
      await new Promise(setImmediate);
    }
    running -= 1;
  };

  return (request) => {
    if (waiting.length >= batches.maxQueued) return Promise.reject(new AppError("unavailable", { reason: "busy" }));
    const answer = Promise.withResolvers<Answer>();
    waiting.push({ request, answer, leftOut: 0 });
    // Requests of this turn of the event loop join the batch.
    if (running < batches.maxConcurrentBatches) {
      running += 1;
      // The batch is not the work of the request that fills it first.
      withoutLogContext(() => setImmediate(() => void runWaiting()));
    }
    return answer.promise;
  };
}

/** Takes requests without a key in common, the first of each key; both lists keep their order. */
function nextBatch<Request, Answer>(
  waiting: readonly Waiting<Request, Answer>[],
  { keyOf, alsoLocks, maxBatchSize }: Pick<Batches<Request, Answer>, "keyOf" | "alsoLocks" | "maxBatchSize">,
): { batch: Waiting<Request, Answer>[]; rest: Waiting<Request, Answer>[] } {
  const batch: Waiting<Request, Answer>[] = [];
  const rest: Waiting<Request, Answer>[] = [];
  const taken = new Set<string>();
  for (const one of waiting) {
    const keys = [keyOf(one.request), ...(alsoLocks?.(one.request) ?? [])];
    const fits = batch.length < maxBatchSize && !keys.some((key) => taken.has(key));
    (fits ? batch : rest).push(one);
    if (fits) for (const key of keys) taken.add(key);
  }
  return { batch, rest };
}
