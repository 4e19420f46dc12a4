import type { SipSummary } from "./sip-text.ts";

/** Requests of trunks that belong to no call: at most this many a second are parsed. Those of others are dropped: scanners find every SIP port. */
const STRANGERS_PER_SECOND = 50;

/** Limits the requests that reach one transport outside of our calls. */
export class StrangerLimit {
  #secondMs = 0;
  #count = 0;

  /** A response to nothing of ours is never admitted. */
  admits(summary: SipSummary): boolean {
    if (summary.status !== null) return false;
    const nowMs = performance.now();
    if (nowMs - this.#secondMs > 1_000) {
      this.#secondMs = nowMs;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= STRANGERS_PER_SECOND;
  }
}
