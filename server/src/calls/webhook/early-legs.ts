import { settleWithin } from "../../platform/settle-within.ts";

/** Legs that may wait at once; one more is not waited for. */
const MAX_QUEUED = 1_000;

/** A leg's wait for the decision about its ticket. */
export interface EarlyLeg {
  /** Resolves to true once this instance has decided, to false after `ms`. */
  decidedWithin(ms: number): Promise<boolean>;
  /** Ends the wait. */
  stop(): void;
}

/** Browsers' legs that are parked before their calls are written, because pages dial while the service decides. */
export class EarlyLegs {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #work = new Set<Promise<void>>();
  #count = 0;

  /** Waits for a ticket from now on; null if too many wait. */
  expect(ticketHash: Buffer): EarlyLeg | null {
    if (this.#count >= MAX_QUEUED) return null;
    this.#count += 1;
    const key = ticketHash.toString("base64");
    const { promise, resolve } = Promise.withResolvers<true>();
    const wake = () => resolve(true);
    this.#waiting.set(key, (this.#waiting.get(key) ?? new Set()).add(wake));
    return {
      decidedWithin: (ms) => settleWithin(promise, ms, false),
      stop: () => this.#remove(key, wake),
    };
  }

  /** Keeps work that goes on after its event was acknowledged. @param work never rejects */
  wait(work: Promise<void>): void {
    this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
  }

  /** Resolves when no leg waits any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#work);
  }

  /** Whether a leg waits for this ticket. */
  isExpected(ticketHash: Buffer): boolean {
    return this.#waiting.has(ticketHash.toString("base64"));
  }

  /** The request with this ticket was decided: its call is committed, or there will be none. */
  decided(ticketHash: Buffer): void {
    for (const wake of this.#waiting.get(ticketHash.toString("base64")) ?? []) wake();
  }

  #remove(key: string, wake: () => void): void {
    const waiting = this.#waiting.get(key);
    if (waiting?.delete(wake) !== true) return;
    this.#count -= 1;
    if (waiting.size === 0) this.#waiting.delete(key);
  }
}
