import { TokenBucket } from "../../rate-limits/token-bucket.ts";
import { SourceRates } from "../../rate-limits/source-rates.ts";

/** Datagrams that are looked at. A hundred calls a second over one trunk need 800. */
const OF_TRUNK = { perSecond: 2_000, burst: 4_000 };
/** Of an address that is no trunk's: a carrier may answer from another one. */
const OF_OTHER = { perSecond: 100, burst: 100 };
const OF_ALL_OTHERS = { perSecond: 500, burst: 500 };
/** Requests of a trunk that belong to no call are parsed: it asks whether we live. */
const OUTSIDE_CALLS = { perSecond: 10, burst: 50 };
/** Messages of one call: it has about ten. Parsing takes a millisecond, of hostile ones twenty, and the library keeps each for 32 seconds. */
const OF_CALL = { perSecond: 10, burst: 50 };
const MAX_SOURCES = 1_000;
const MAX_CALLS = 10_000;

/**
 * What each source may make the exchange do. Each trunk's address has budgets of its own, so that a noisy carrier cannot starve
 * another; everybody else shares one besides. Times are monotonic, in milliseconds.
 */
export class SipBudgets {
  readonly #trunks = new SourceRates(OF_TRUNK, MAX_SOURCES);
  readonly #others = new SourceRates(OF_OTHER, MAX_SOURCES);
  readonly #allOthers = new TokenBucket(OF_ALL_OTHERS);
  readonly #outsideCalls = new SourceRates(OUTSIDE_CALLS, MAX_SOURCES);
  readonly #calls = new SourceRates(OF_CALL, MAX_CALLS);

  /** Before anything of a datagram is read. */
  mayRead(address: string, isTrunk: boolean, nowMs: number): boolean {
    if (isTrunk) return this.#trunks.take(address, nowMs);
    return this.#others.take(address, nowMs) && this.#allOthers.take(nowMs);
  }

  /** A message of a call of ours. */
  mayReachCall(callId: string, nowMs: number): boolean {
    return this.#calls.take(callId, nowMs);
  }

  /** A trunk's request that belongs to no call of ours. */
  mayAsk(address: string, nowMs: number): boolean {
    return this.#outsideCalls.take(address, nowMs);
  }
}
