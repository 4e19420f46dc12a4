import { Random } from "./random.ts";

/** A task of a service instance. Yields pauses in milliseconds, and continues after each unless the instance died. */
export type Task = Generator<number, void, void>;

/** Bugs that can be planted to prove that they are found. */
export type Bug =
  | "settles_twice"
  | "holds_on_a_stale_balance"
  | "never_sweeps"
  | "moves_backward"
  | "credits_each_event"
  | "keeps_the_hold_of_an_unanswered_call"
  | "extends_before_it_holds"
  | "refunds_before_it_takes"
  | "keeps_what_a_refused_withdrawal_took"
  | "dials_again_under_a_new_command"
  | "leaves_the_ticket_of_an_ended_call_open";

/** Failure rates of a world, each the probability of a single event. */
export interface FailureRates {
  readonly eventLost: number;
  readonly eventRepeated: number;
  readonly eventLate: number;
  readonly responseLost: number;
  readonly crash: number;
  readonly providerOutage: number;
  readonly databaseOutage: number;
  readonly commitResponseLost: number;
}

/** The database did not respond, or it committed and its response was lost. */
export class DatabaseGone extends Error {}
/** Another service did not respond; it may or may not have executed the request. */
export class NoResponse extends Error {}

const STEP_BOUND = 60_000;
const LONGEST_CRASH_MS = 120_000;
const LONGEST_OUTAGE_MS = 60_000;
const TRACE_LENGTH = 40;

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

interface Instance {
  downUntilMs: number;
  /** Incremented by each crash, so that earlier tasks do not continue. */
  life: number;
}

/**
 * A world with its own clock and sequential events in an order that depends on the seed. Service instances crash at any
 * step, and the database and other services become unreachable for a while.
 */
export class World {
  readonly seed: number;
  readonly random: Random;
  readonly failureRates: FailureRates;
  readonly bugs: ReadonlySet<Bug>;
  readonly instances: readonly Instance[];
  nowMs = 0;
  /** Called after each step. */
  watch: () => void = () => undefined;
  readonly #trace: string[] = [];
  readonly #events: Event[] = [];
  #order = 0;
  #databaseBackMs = 0;
  readonly #silentUntilMs = { voice: 0, cards: 0 };

  constructor(seed: number, bugs: ReadonlySet<Bug>) {
    this.seed = seed;
    this.random = new Random(seed);
    this.bugs = bugs;
    const rough = this.random.pick([0, 0.3, 1, 2]);
    this.failureRates = {
      eventLost: 0.12 * rough,
      eventRepeated: 0.25 * rough,
      eventLate: 0.1 * rough,
      responseLost: 0.04 * rough,
      crash: 0.02 * rough,
      providerOutage: 0.01 * rough,
      databaseOutage: 0.006 * rough,
      commitResponseLost: 0.01 * rough,
    };
    this.instances = Array.from({ length: this.random.between(1, 3) }, () => ({ downUntilMs: 0, life: 0 }));
  }

  /** Schedules an event. */
  after(delayMs: number, run: () => void): void {
    const event = { atMs: this.nowMs + delayMs, order: (this.#order += 1), run };
    let place = this.#events.length;
    while (place > 0 && isLater(this.#events[place - 1], event)) place -= 1;
    this.#events.splice(place, 0, event);
  }

  /** Runs events until none are left or the time is up, and calls `watch` after each. */
  liveUntil(endMs: number): void {
    for (let step = 0; ; step++) {
      const next = this.#events[0];
      if (next === undefined || next.atMs > endMs) break;
      if (step === STEP_BOUND) throw new Error("The world does not become idle.");
      this.#events.shift();
      this.nowMs = next.atMs;
      next.run();
      this.watch();
    }
    this.nowMs = endMs;
  }

  /** Runs a task on a live instance, which may crash at any pause; false if none is up. */
  serve(what: string, work: () => Task, onEnd: (done: boolean) => void = () => undefined): boolean {
    const up = this.instances.filter((one) => one.downUntilMs <= this.nowMs);
    if (up.length === 0) return false;
    const instance = this.random.pick(up);
    const { life } = instance;
    this.note(what);
    const going = work();
    const step = () => {
      if (instance.life !== life) return onEnd(false);
      if (this.random.chance(this.failureRates.crash)) {
        this.#die(instance);
        return onEnd(false);
      }
      try {
        const { done, value } = going.next();
        if (done === true) return onEnd(true);
        this.after(value, step);
      } catch (error) {
        if (!(error instanceof DatabaseGone) && !(error instanceof NoResponse)) throw error;
        this.note(`${what}: ${error.constructor.name}`);
        onEnd(false);
      }
    };
    step();
    return true;
  }

  #die(instance: Instance): void {
    instance.life += 1;
    instance.downUntilMs = this.nowMs + this.random.between(1_000, LONGEST_CRASH_MS);
    this.note("an instance dies");
  }

  /** Runs an atomic change, like a transaction; its confirmation may be lost. */
  commit<T>(change: () => T): T {
    if (this.random.chance(this.failureRates.databaseOutage))
      this.#databaseBackMs = this.nowMs + this.random.between(500, LONGEST_OUTAGE_MS);
    if (this.nowMs < this.#databaseBackMs) throw new DatabaseGone();
    const result = change();
    if (this.random.chance(this.failureRates.commitResponseLost)) throw new DatabaseGone();
    return result;
  }

  /** Sends a request to another service: request or response may be lost. */
  request<T>(who: "voice" | "cards", request: () => T): T {
    if (this.random.chance(this.failureRates.providerOutage))
      this.#silentUntilMs[who] = this.nowMs + this.random.between(1_000, LONGEST_OUTAGE_MS);
    if (this.nowMs < this.#silentUntilMs[who] || this.random.chance(this.failureRates.responseLost / 2)) throw new NoResponse();
    const answer = request();
    if (this.random.chance(this.failureRates.responseLost)) throw new NoResponse();
    return answer;
  }

  has(bug: Bug): boolean {
    return this.bugs.has(bug);
  }

  /** A short pause between two steps of a request. */
  moment(): number {
    return this.random.between(1, 150);
  }

  note(what: string): void {
    this.#trace.push(`${(this.nowMs / 1000).toFixed(3)} s ${what}`);
    if (this.#trace.length > TRACE_LENGTH) this.#trace.shift();
  }

  /** The last events. */
  get trace(): string {
    return this.#trace.join("\n");
  }
}

function isLater(a: Event | undefined, b: Event): boolean {
  return a !== undefined && (a.atMs > b.atMs || (a.atMs === b.atMs && a.order > b.order));
}
