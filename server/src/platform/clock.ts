/** The service's only source of time, so that tests can control it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** A clock that only advances on command, for tests. */
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
