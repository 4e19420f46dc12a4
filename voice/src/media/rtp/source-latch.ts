export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** A source other than the announced one is believed only after the believed one was silent for this long. */
const SILENCE_BEFORE_RELEARN_MS = 500;
/** ... and after this many packets in a row from there. */
const PACKETS_TO_RELEARN = 3;

/**
 * Decides which source of RTP is accepted: the address in the far end's SDP. When nothing comes from there, one other source may take over
 * (a far end behind NAT), once. Everybody else is ignored, so that nobody can speak into a call by guessing ports.
 */
export class SourceLatch {
  #believed: Endpoint;
  #lastHeardMs: number;
  #mayRelearn = true;
  #candidate: { endpoint: Endpoint; packets: number } | null = null;

  constructor(announced: Endpoint, nowMs: number) {
    this.#believed = announced;
    this.#lastHeardMs = nowMs;
  }

  /** Where our packets go. */
  get target(): Endpoint {
    return this.#believed;
  }

  /** True when a packet from there is to be used. */
  accepts(address: string, port: number, nowMs: number): boolean {
    if (port === this.#believed.port && address === this.#believed.address) {
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
    this.#believed = endpoint;
    this.#lastHeardMs = nowMs;
    this.#mayRelearn = false;
    this.#candidate = null;
    return true;
  }
}
