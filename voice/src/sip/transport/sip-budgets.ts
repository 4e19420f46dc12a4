import { TokenBucket } from "../../rate-limits/token-bucket.ts";
import { SourceRates } from "../../rate-limits/source-rates.ts";

/** Datagrams of a trunk's address. A hundred calls a second need 800. */
const OF_TRUNK = { perSecond: 2_000, burst: 4_000 };
/** Datagrams of any other address: a carrier may respond from a different one. */
const OF_OTHER = { perSecond: 100, burst: 100 };
const OF_ALL_OTHERS = { perSecond: 500, burst: 500 };
/** A trunk's requests outside calls, such as OPTIONS. */
const OUTSIDE_CALLS = { perSecond: 10, burst: 50 };
/** Messages of one call, which usually has about ten. */
const OF_CALL = { perSecond: 10, burst: 50 };
const MAX_SOURCES = 1_000;
const MAX_CALLS = 10_000;

/**
 * Rate limits per source. Each trunk's address has its own, so that a noisy carrier cannot starve another; all other addresses also
 * share one. Times are monotonic, in milliseconds.
 */
export class SipBudgets {
  readonly #trunks = new SourceRates(OF_TRUNK, MAX_SOURCES);
  readonly #others = new SourceRates(OF_OTHER, MAX_SOURCES);
  readonly #allOthers = new TokenBucket(OF_ALL_OTHERS);
  readonly #outsideCalls = new SourceRates(OUTSIDE_CALLS, MAX_SOURCES);
  readonly #calls = new SourceRates(OF_CALL, MAX_CALLS);
  readonly #readCalls = new SourceRates(OF_CALL, MAX_CALLS);

  /** Checked before a datagram is parsed. */
  mayRead(address: string, isTrunk: boolean, nowMs: number): boolean {
    if (isTrunk) return this.#trunks.take(address, nowMs);
    return this.#others.take(address, nowMs) && this.#allOthers.take(nowMs);
  }

  /** The same for a message of a known call, if its source may send no more. */
  mayReadCall(callId: string, nowMs: number): boolean {
    return this.#readCalls.take(callId, nowMs);
  }

  mayReachCall(callId: string, nowMs: number): boolean {
    return this.#calls.take(callId, nowMs);
  }

  mayRequest(address: string, nowMs: number): boolean {
    return this.#outsideCalls.take(address, nowMs);
  }
}
