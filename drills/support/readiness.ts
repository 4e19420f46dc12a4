import { PATIENCE_MS } from "@farline/domain/test/patience.ts";
import { setTimeout as pause } from "node:timers/promises";
import { outcomeOf } from "./page-load.ts";

const EVERY_MS = 50;

const ANSWER_WITHIN_MS = 5_000;

const CHECK_EVERY_MS = 20;
const GOOD_WITHIN_MS = 60_000;

/** Asks a service again and again whether it is ready, which it is when it can commit, and remembers for how long it was not. */
export class Readiness {
  readonly #url: string;
  #running: Promise<void> | null = null;
  #stopping = false;
  #lastAt = performance.now();
  #longestGapMs = 0;

  constructor(url: string) {
    this.#url = url;
  }

  start(): void {
    this.#running = this.#work();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
  }

  /** The longest time without a good answer since the last question. */
  takeLongestGapMs(): number {
    const gap = Math.max(this.#longestGapMs, performance.now() - this.#lastAt);
    this.#longestGapMs = 0;
    return gap;
  }

  /** @throws Error if it is not ready in time */
  async untilReady(withinMs: number): Promise<void> {
    const until = performance.now() + withinMs;
    while (!(await this.#isReady())) {
      if (performance.now() > until) throw new Error(`The service was not ready within ${withinMs / 1_000} seconds.`);
      await pause(EVERY_MS);
    }
  }

  async #work(): Promise<void> {
    while (!this.#stopping) {
      if (await this.#isReady()) {
        const now = performance.now();
        this.#longestGapMs = Math.max(this.#longestGapMs, now - this.#lastAt);
        this.#lastAt = now;
      }
      await pause(EVERY_MS);
    }
  }

  async #isReady(): Promise<boolean> {
    try {
      const response = await fetch(`${this.#url}/api/ready`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
      await response.arrayBuffer();
      return response.ok;
    } catch {
      return false;
    }
  }
}

/** Waits for a condition. @throws Error when it does not become true in time */
export async function until(what: string, condition: () => boolean | Promise<boolean>, timeoutMs = PATIENCE_MS): Promise<void> {
  if (!(await becomes(condition, timeoutMs))) throw new Error(`There was no ${what} in ${timeoutMs / 1_000} seconds.`);
}

/** Waits until an address answers with 200. @throws Error when it does not in time */
export function untilGood(url: string): Promise<void> {
  return until(`good answer from ${url}`, async () => (await outcomeOf(url)) === "200", GOOD_WITHIN_MS);
}

/** Waits for a condition for a bounded time. @returns whether it became true */
export async function becomes(condition: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await pause(CHECK_EVERY_MS);
  }
  return true;
}
