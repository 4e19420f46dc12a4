import type { LockMode } from "./database.ts";
import { AppError } from "../http/app-error.ts";

export interface Batches<Request, Answer> {
  readonly mostInBatch: number;
  /** So many batches may run at once. */
  readonly mostBatches: number;
  /** With so many waiting, a further request is turned away. */
  readonly mostWaiting: number;
  /** Two requests with one key never share a batch. */
  keyOf(request: Request): string;
  /**
   * Answers requests, each as it would alone.
   * @returns the answers by key, without those that a lock of mode `skip` left out
   */
  run(requests: readonly Request[], lock: LockMode): Promise<ReadonlyMap<string, Answer>>;
}

interface Waiting<Request, Answer> {
  readonly request: Request;
  readonly answer: PromiseWithResolvers<Answer>;
}

/**
 * Runs requests that wait at the same moment together. What arrives while all batches run goes with the next. A
 * request that its batch left out, or whose batch failed, is run alone, and others do not wait for it.
 * @returns the way to ask; it throws what `run` throws, and AppError `unavailable` when too many wait
 */
export function batched<Request, Answer>(work: Batches<Request, Answer>): (request: Request) => Promise<Answer> {
  let waiting: Waiting<Request, Answer>[] = [];
  let running = 0;

  const runAlone = async ({ request, answer }: Waiting<Request, Answer>) => {
    try {
      const found = await work.run([request], "wait");
      if (!found.has(work.keyOf(request))) throw new Error("A request that is run alone must be answered.");
      answer.resolve(found.get(work.keyOf(request)) as Answer);
    } catch (error) {
      answer.reject(error);
    }
  };

  const runWaiting = async () => {
    while (waiting.length > 0) {
      const { batch, rest } = takeBatch(waiting, work);
      waiting = rest;
      const requests = batch.map(({ request }) => request);
      const found = await work.run(requests, "skip").catch(() => new Map<string, Answer>());
      for (const one of batch) {
        const key = work.keyOf(one.request);
        if (found.has(key)) one.answer.resolve(found.get(key) as Answer);
        else void runAlone(one);
      }
      // Callers just answered may ask again before the next batch is taken.
      await new Promise(setImmediate);
    }
    running -= 1;
  };

  return (request) => {
    if (waiting.length >= work.mostWaiting)
      return Promise.reject(new AppError("unavailable", "Too much is going on at the moment. Please try again soon."));
    const answer = Promise.withResolvers<Answer>();
    waiting.push({ request, answer });
    // What else is asked for in this turn of the event loop goes along.
    if (running < work.mostBatches) {
      running += 1;
      setImmediate(() => void runWaiting());
    }
    return answer.promise;
  };
}

/** The first request of each key, in their order; the rest stays in its order. */
function takeBatch<Request, Answer>(
  waiting: readonly Waiting<Request, Answer>[],
  { keyOf, mostInBatch }: Pick<Batches<Request, Answer>, "keyOf" | "mostInBatch">,
): { batch: Waiting<Request, Answer>[]; rest: Waiting<Request, Answer>[] } {
  const batch = new Map<string, Waiting<Request, Answer>>();
  const rest: Waiting<Request, Answer>[] = [];
  for (const one of waiting) {
    const key = keyOf(one.request);
    if (batch.size < mostInBatch && !batch.has(key)) batch.set(key, one);
    else rest.push(one);
  }
  return { batch: [...batch.values()], rest };
}
