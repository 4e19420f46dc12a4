import type { Clock } from "../src/platform/clock.ts";

/** A clock that only advances on command. */
export class ManualClock implements Clock {
  #at: number;
  constructor(start: Date) {
    this.#at = start.getTime();
  }
  now(): Date {
    return new Date(this.#at);
  }
  advance(milliseconds: number): void {
    this.#at += milliseconds;
  }
}
