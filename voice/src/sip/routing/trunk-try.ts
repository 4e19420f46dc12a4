import type { AttemptOutcome, TrunkAttempt } from "../../call-route.ts";
import type { FarEnd } from "../trunk.ts";
import type { TrunkOffer } from "@farline/domain/rates/find-offers.ts";
import type { TrunkConfig } from "../trunk.ts";
import type { CircuitBreaker, CircuitOutcome } from "./circuit-breaker.ts";
import { isTrunkFault, refusesAllCalls } from "./trunk-fault.ts";
import type { TrunkLimits } from "./trunk-limits.ts";

export interface TrunkAvailability {
  readonly circuit: CircuitBreaker;
  readonly limits: TrunkLimits;
}

interface TrunkTryOptions {
  readonly offer: TrunkOffer<TrunkConfig>;
  readonly number: string;
  /** The call is already counted in its limits. */
  readonly state: TrunkAvailability;
  readonly now: () => number;
  readonly onCircuit: (change: "opened" | "closed") => void;
}

type Result = Pick<TrunkAttempt, "durationMs" | "sipStatus" | "q850Cause" | "outcome">;

const NO_RESPONSE = { sipStatus: null, q850Cause: null };

/** One attempt of a call over a trunk. Updates the trunk's limits and circuit breaker and the call's record. */
export class TrunkTry {
  readonly offer: TrunkOffer<TrunkConfig>;
  readonly #options: TrunkTryOptions;
  readonly #startedAt = new Date();
  readonly #startedMs: number;
  #result: Result | null = null;
  #postDialDelayMs: number | null = null;
  #reported = false;
  #released = false;

  constructor(options: TrunkTryOptions) {
    this.offer = options.offer;
    this.#options = options;
    this.#startedMs = options.now();
    options.state.circuit.begin();
  }

  get attempt(): TrunkAttempt {
    const result = this.#result ?? this.#resultOf("cancelled", NO_RESPONSE);
    return { trunk: this.offer.trunk.name, startedAt: this.#startedAt, postDialDelayMs: this.#postDialDelayMs, ...result };
  }

  /** An 18x response proves that the trunk works. */
  progressed(): void {
    this.#postDialDelayMs ??= this.#sinceInvite();
    this.#reportToCircuit("worked");
  }

  answered(): void {
    this.#postDialDelayMs ??= this.#sinceInvite();
    this.#result = this.#resultOf("answered", { sipStatus: 200, q850Cause: null });
    this.#reportToCircuit("worked");
  }

  silent(): void {
    this.#settle("silent", NO_RESPONSE);
  }

  ended(end: FarEnd): void {
    const { sipStatus, q850Cause, retryAfterSeconds = 0 } = end;
    if (retryAfterSeconds > 0 && isTrunkFault(end)) this.#options.state.circuit.rest(retryAfterSeconds * 1_000);
    if (refusesAllCalls(end)) this.#reportToCircuit("account");
    if (end.by === "us" || end.by === "timeout") this.#settle(end.by === "us" ? "cancelled" : "unanswered", NO_RESPONSE);
    else if (end.by === "failure" && sipStatus === 408) this.#settle("silent", NO_RESPONSE);
    else this.#settle(isTrunkFault(end) ? "failed" : "refused", { sipStatus, q850Cause });
  }

  /** The end of an answered call does not change the attempt's outcome. */
  #settle(outcome: AttemptOutcome, response: Pick<Result, "sipStatus" | "q850Cause">): void {
    this.#result ??= this.#resultOf(outcome, response);
    this.#reportToCircuit(outcome === "cancelled" ? null : outcome === "failed" || outcome === "silent" ? "fault" : "worked");
    if (this.#released) return;
    this.#released = true;
    this.#options.state.limits.release();
  }

  #reportToCircuit(outcome: CircuitOutcome): void {
    if (this.#reported) return;
    this.#reported = true;
    const change = this.#options.state.circuit.settle(this.#options.number, outcome);
    if (change !== null) this.#options.onCircuit(change);
  }

  #resultOf(outcome: AttemptOutcome, response: Pick<Result, "sipStatus" | "q850Cause">): Result {
    return { ...response, outcome, durationMs: this.#sinceInvite() };
  }

  #sinceInvite(): number {
    return Math.round(this.#options.now() - this.#startedMs);
  }
}
