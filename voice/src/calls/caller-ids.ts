import { createHmac, timingSafeEqual } from "node:crypto";
import type { KeyList } from "@farline/contract/settings/setting.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { dropOldest } from "../drop-oldest.ts";

const PROOF = /^([0-9a-z]{1,10})\.([A-Za-z0-9_-]{43})$/;
const MAX_REMOVED = 10_000;
/** The service renews proofs after 180 days. */
const PROOF_LIFE_MS = 190 * DAY_MS;

/** Permission to show a number. The exchange issues it once and requires it with every call. */
export interface NumberProof {
  readonly provenAt: Date;
  readonly proof: string;
}

/**
 * Decides which caller ids calls may show: the exchange's own number, and numbers with a proof. A proof contains a MAC of number and
 * time, so it survives restarts without a store, and only the exchange can make one. Removals are kept in memory.
 */
export class CallerIds {
  readonly exchangeNumber: string;
  readonly #keys: KeyList<Uint8Array>;
  /** Removal times in milliseconds by number, oldest first. */
  readonly #removed = new Map<string, number>();

  /** @param exchangeNumber E.164 @param keys 32 secret bytes each */
  constructor(exchangeNumber: string, keys: KeyList<Uint8Array>) {
    this.exchangeNumber = exchangeNumber;
    this.#keys = keys;
  }

  allows(number: string, proof: string | undefined): boolean {
    if (number === this.exchangeNumber) return true;
    const [, time = "", mac = ""] = PROOF.exec(proof ?? "") ?? [];
    const given = Buffer.from(mac.padEnd(43));
    if (!this.#keys.some((key) => timingSafeEqual(given, Buffer.from(macOf(key, number, time))))) return false;
    return Number.parseInt(time, 36) > Math.max(this.#removed.get(number) ?? 0, Date.now() - PROOF_LIFE_MS);
  }

  prove(number: string): NumberProof {
    // Must be later than a removal in the same millisecond.
    const provenAt = new Date(Math.max(Date.now(), (this.#removed.get(number) ?? 0) + 1));
    const time = provenAt.getTime().toString(36);
    return { provenAt, proof: `${time}.${macOf(this.#keys[0], number, time)}` };
  }

  /** Revokes the number's proofs. */
  remove(number: string): void {
    this.#removed.delete(number);
    this.#removed.set(number, Date.now());
    dropOldest(this.#removed, MAX_REMOVED);
  }
}

function macOf(key: Uint8Array, number: string, time: string): string {
  return createHmac("sha256", key)
    .update(JSON.stringify(["caller id", number, time]))
    .digest("base64url");
}
