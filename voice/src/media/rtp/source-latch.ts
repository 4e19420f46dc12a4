export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** The latch moves to another source only after the current one has been silent for this long. */
const SILENCE_BEFORE_RELEARN_MS = 500;
/** ... and after this many consecutive packets from the new one. */
const PACKETS_TO_RELEARN = 3;

/**
 * Symmetric RTP latching. Accepts the address in the far end's SDP. If it is silent, one other source may take over, once (a far end
 * behind NAT). All others are ignored, so that nobody can inject audio by guessing ports.
 */
export class SourceLatch {
  #latched: Endpoint;
  #lastHeardMs: number;
  #mayRelearn = true;
  #candidate: { endpoint: Endpoint; packets: number } | null = null;

  constructor(announced: Endpoint, nowMs: number) {
    this.#latched = announced;
    this.#lastHeardMs = nowMs;
  }

  get target(): Endpoint {
    return this.#latched;
  }

  accepts(address: string, port: number, nowMs: number): boolean {
    if (port === this.#latched.port && address === this.#latched.address) {
      this.#lastHeardMs = nowMs;
      this.#candidate = null;
      return true;
    }
    if (!this.#mayRelearn || nowMs - this.#lastHeardMs < SILENCE_BEFORE_RELEARN_MS) return false;
    return this.#consider({ address, port }, nowMs);
  }

  #consider(endpoint: Endpoint, nowMs: number): boolean {
    const same = this.#candidate?.endpoint.port === endpoint.port && this.#candidate.endpoint.address === endpoint.address;
    const packets = same && this.#candidate !== null ? this.#candidate.packets + 1 : 1;
    this.#candidate = { endpoint, packets };
    if (packets < PACKETS_TO_RELEARN) return false;
    this.#latched = endpoint;
    this.#lastHeardMs = nowMs;
    this.#mayRelearn = false;
    this.#candidate = null;
    return true;
  }
}
