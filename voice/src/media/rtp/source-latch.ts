export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** The latch moves to another source only after the current one has been silent for this long. */
export const SILENCE_BEFORE_RELEARN_MS = 500;
/** ... and after this many consecutive packets from the new one. */
export const PACKETS_TO_RELEARN = 3;

/**
 * Where audio may come from, in both media planes: any port of the announced address and of the trunk's own addresses. All others are
 * ignored, so that nobody can inject audio or listen by guessing ports.
 */
export function allowedSources(announced: Endpoint, trunkAddresses: readonly string[]): ReadonlySet<string> {
  return new Set([announced.address, ...trunkAddresses]);
}

/**
 * Symmetric RTP latching. The far end may move among the allowed sources as often as it likes. The announced endpoint takes the call
 * back as soon as it sends.
 */
export class SourceLatch {
  readonly #announced: Endpoint;
  readonly #allowed: ReadonlySet<string>;
  #latched: Endpoint;
  #lastHeardMs: number;
  #candidate: { endpoint: Endpoint; packets: number } | null = null;

  constructor(announced: Endpoint, trunkAddresses: readonly string[], nowMs: number) {
    this.#announced = announced;
    this.#allowed = allowedSources(announced, trunkAddresses);
    this.#latched = announced;
    this.#lastHeardMs = nowMs;
  }

  get target(): Endpoint {
    return this.#latched;
  }

  accepts(address: string, port: number, nowMs: number): boolean {
    const source = { address, port };
    if (isSame(source, this.#announced) || isSame(source, this.#latched)) {
      this.#moveTo(source, nowMs);
      return true;
    }
    if (!this.#allowed.has(address) || nowMs - this.#lastHeardMs < SILENCE_BEFORE_RELEARN_MS) return false;
    const packets = this.#candidate !== null && isSame(this.#candidate.endpoint, source) ? this.#candidate.packets + 1 : 1;
    this.#candidate = { endpoint: source, packets };
    if (packets < PACKETS_TO_RELEARN) return false;
    this.#moveTo(source, nowMs);
    return true;
  }

  #moveTo(source: Endpoint, nowMs: number): void {
    this.#latched = source;
    this.#lastHeardMs = nowMs;
    this.#candidate = null;
  }
}

export function isSame(one: Endpoint, other: Endpoint): boolean {
  return one.port === other.port && one.address === other.address;
}
