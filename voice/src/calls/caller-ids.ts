import { createHmac, timingSafeEqual } from "node:crypto";

const PROOF = /^([0-9a-z]{1,10})\.([A-Za-z0-9_-]{43})$/;
const MAX_REMOVED = 10_000;
/** The service asks for a new proof after 180 days; nobody else may use an old one for longer. */
const PROOF_LIFE_MS = 190 * 24 * 60 * 60_000;

/** Permission to show a number: the exchange gives it out once, and wants to see it with every call. */
export interface NumberProof {
  readonly provenAt: Date;
  readonly proof: string;
}

/**
 * Which numbers called people may see: the exchange's own, and those it has proven itself. A proof carries a MAC of number and
 * time, so it outlives a restart without a store, and no service can make one. Only removals are remembered, in memory.
 */
export class CallerIds {
  readonly own: string;
  readonly #key: Uint8Array;
  /** When each number was removed, in milliseconds, oldest first. */
  readonly #removed = new Map<string, number>();

  /** @param own E.164; @param key 32 secret bytes */
  constructor(own: string, key: Uint8Array) {
    this.own = own;
    this.#key = key;
  }

  allows(number: string, proof: string | undefined): boolean {
    if (number === this.own) return true;
    const [, time = "", mac = ""] = PROOF.exec(proof ?? "") ?? [];
    if (!timingSafeEqual(Buffer.from(mac.padEnd(43)), Buffer.from(this.#macOf(number, time)))) return false;
    return Number.parseInt(time, 36) > Math.max(this.#removed.get(number) ?? 0, Date.now() - PROOF_LIFE_MS);
  }

  prove(number: string): NumberProof {
    // Later than a removal in this very millisecond.
    const provenAt = new Date(Math.max(Date.now(), (this.#removed.get(number) ?? 0) + 1));
    const time = provenAt.getTime().toString(36);
    return { provenAt, proof: `${time}.${this.#macOf(number, time)}` };
  }

  /** Makes the number's proofs so far worthless. */
  remove(number: string): void {
    this.#removed.delete(number);
    const oldest = this.#removed.keys().next();
    if (this.#removed.size >= MAX_REMOVED && oldest.value !== undefined) this.#removed.delete(oldest.value);
    this.#removed.set(number, Date.now());
  }

  #macOf(number: string, time: string): string {
    return createHmac("sha256", this.#key)
      .update(JSON.stringify(["caller id", number, time]))
      .digest("base64url");
  }
}
