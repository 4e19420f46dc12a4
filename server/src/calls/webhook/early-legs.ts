import { settleWithin } from "@farline/domain/durations.ts";

/** Legs that may wait at the same time. */
const MAX_QUEUED = 1_000;

/** A leg that waits for the decision about its ticket. */
export interface EarlyLeg {
  /** Resolves to true once this instance has decided, or to false after `ms`. */
  decidedWithin(ms: number): Promise<boolean>;
  /** Ends the wait. */
  stop(): void;
}

/** Browser legs that are parked before their call is written, because pages dial while the service decides. */
export class EarlyLegs {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #pending = new Set<Promise<void>>();
  #count = 0;

  /** Starts waiting for a ticket; null if too many legs are waiting. */
  expect(ticketHash: Buffer): EarlyLeg | null {
    if (this.#count >= MAX_QUEUED) return null;
    this.#count += 1;
    const key = ticketHash.toString("base64");
    const { promise, resolve } = Promise.withResolvers<true>();
    const wake = () => resolve(true);
    this.#waiting.set(key, (this.#waiting.get(key) ?? new Set()).add(wake));
    return {
      decidedWithin: (ms) => settleWithin(promise, ms, () => false),
      stop: () => this.#remove(key, wake),
    };
  }

  /** Tracks a task that continues after its event was acknowledged. @param task must never reject */
  track(task: Promise<void>): void {
    this.#pending.add(task);
    void task.finally(() => this.#pending.delete(task));
  }

  /** Resolves once no tracked task is pending. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** Whether a leg is waiting for this ticket. */
  isExpected(ticketHash: Buffer): boolean {
    return this.#waiting.has(ticketHash.toString("base64"));
  }

  /** Wakes the legs with this ticket: its call is committed, or was refused. */
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
