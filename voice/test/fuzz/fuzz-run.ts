import * as fc from "fast-check";

/** `npm run test:full` runs fifty times as many: a million. */
const FULL = process.env["FULL"] === "1";
const INPUTS = FULL ? 1_000_000 : 20_000;
const CHUNK = 500;
/** CPU time for one input. Wall-clock time is unreliable on a busy machine. Retries exclude garbage collection. */
const MAX_HANDLING_MS = 250;
const TRIES = 3;

/** `FUZZ_SEED` repeats a run. */
export const SEED = Number(process.env["FUZZ_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
export const FUZZ_TIMEOUT_MS = FULL ? 3_600_000 : 300_000;

/** The number of inputs for a part of the suite. @param percent of all inputs */
export function inputsOf(percent: number): number {
  return Math.round((INPUTS * percent) / 100);
}

/** Generates inputs from the seed, lazily, because a million do not fit into memory. */
export function* inputs<Input>(arbitrary: fc.Arbitrary<Input>, count: number): Generator<Input> {
  for (let made = 0; made < count; made += CHUNK) {
    yield* fc.sample(arbitrary, { numRuns: Math.min(CHUNK, count - made), seed: SEED + made });
  }
}

/** Runs a handler. @throws Error with the input if the handler throws or is too slow */
export function handle(input: string | Buffer, work: () => unknown): void {
  let shortest = Infinity;
  for (let tries = 0; tries < TRIES && shortest > MAX_HANDLING_MS; tries += 1) {
    const began = process.threadCpuUsage();
    try {
      work();
    } catch (error) {
      throw new Error(`seed ${SEED}: failed with ${show(input)}`, { cause: error });
    }
    const { user, system } = process.threadCpuUsage(began);
    shortest = Math.min(shortest, (user + system) / 1_000);
  }
  if (shortest > MAX_HANDLING_MS) throw new Error(`seed ${SEED}: ${Math.round(shortest)} ms for ${show(input)}`);
}

function show(input: string | Buffer): string {
  return typeof input === "string" ? JSON.stringify(input).slice(0, 4_000) : input.toString("hex").slice(0, 4_000);
}

/** Collects uncaught errors. Vitest would report them too, but without the seed. */
export class Uncaught {
  readonly errors: string[] = [];
  readonly #take = (error: unknown): void => void this.errors.push(`seed ${SEED}: ${String((error as Error)?.stack ?? error)}`);

  constructor() {
    process.on("unhandledRejection", this.#take).on("uncaughtException", this.#take);
  }

  stop(): void {
    process.off("unhandledRejection", this.#take).off("uncaughtException", this.#take);
  }
}
