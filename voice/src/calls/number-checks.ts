import { createHmac, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import type { Language } from "@farline/contract/languages.ts";
import { mayBeCallerId } from "@farline/domain/numbers/caller-id.ts";
import { normalizeNumber } from "@farline/domain/numbers/phone-number.ts";
import type { CallerIds, NumberProof } from "./caller-ids.ts";
import { VerificationCall, type VerificationCallOptions } from "./verification-call.ts";
import { NumberProblem } from "./number-problem.ts";

const CODE_DIGITS = 6;
export const CODE_LIFE_MS = 10 * 60_000;
const MAX_TRIES = 3;
/** Second line behind the service's own limits: whoever has the API key cannot ring people, or run up a bill, with these calls. */
const CALLS_PER_NUMBER = 5;
const MAX_CALLS = 500;
const MAX_AT_A_TIME = 10;
const COUNTED_MS = 24 * 60 * 60_000;

interface Check {
  readonly codeHash: Buffer;
  readonly expiresAt: number;
  tries: number;
}

export interface NumberCheckOptions extends VerificationCallOptions {
  readonly callerIds: CallerIds;
  /** False while no trunk may show a customer's number. */
  readonly canShow: () => boolean;
}

/**
 * Proves that somebody answers a number: calls it, reads a code, and takes the code back. Codes are kept hashed, in memory, for
 * ten minutes: after a restart the number is called again.
 */
export class NumberChecks {
  readonly #options: NumberCheckOptions;
  readonly #key = randomBytes(32);
  readonly #checks = new Map<string, Check>();
  /** Calls of the last 24 hours, oldest first. */
  #made: { readonly number: string; readonly at: number }[] = [];
  readonly #live = new Map<string, VerificationCall>();

  constructor(options: NumberCheckOptions) {
    this.#options = options;
  }

  /** Calls a number and reads a new code; an earlier code is worth nothing any more. @throws NumberProblem, and nobody is called. */
  start(number: string, language: Language): void {
    const { callerIds, canShow } = this.#options;
    if (!canShow()) throw new NumberProblem("not_possible", "No trunk of this exchange shows numbers of customers");
    const found = normalizeNumber(number, null);
    if (!found.ok || found.e164 !== number || number === callerIds.own || !mayBeCallerId(found, null))
      throw new NumberProblem("bad_number", "phone_number must be an ordinary number in E.164");
    if (this.#live.has(number)) throw new NumberProblem("busy", "This number is being called");
    this.#count(number);
    const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, "0");
    this.#checks.set(number, { codeHash: this.#hash(number, code), expiresAt: Date.now() + CODE_LIFE_MS, tries: 0 });
    const call = new VerificationCall(this.#options, { to: number, from: callerIds.own, code, language });
    this.#live.set(number, call);
    void call.over.finally(() => {
      if (this.#live.get(number) === call) this.#live.delete(number);
    });
  }

  /** Takes the code back. @returns the proof. @throws NumberProblem `wrong_code`; `no_check` when there is none, any more */
  confirm(number: string, code: string): NumberProof {
    const check = this.#checks.get(number);
    if (check === undefined || check.expiresAt <= Date.now() || check.tries >= MAX_TRIES) {
      this.#checks.delete(number);
      throw new NumberProblem("no_check", "There is no verification of this number, or no longer");
    }
    check.tries += 1;
    if (!timingSafeEqual(check.codeHash, this.#hash(number, code)))
      throw new NumberProblem("wrong_code", "The verification code is wrong");
    this.#checks.delete(number);
    return this.#options.callerIds.prove(number);
  }

  /** Takes the right to show a number back, and ends what is under way with it. */
  remove(number: string): void {
    this.#checks.delete(number);
    this.#live.get(number)?.hangUp();
    this.#live.delete(number);
    this.#options.callerIds.remove(number);
  }

  /** Ends the calls that read a code. */
  stop(): void {
    for (const call of this.#live.values()) call.hangUp();
  }

  #count(number: string): void {
    const now = Date.now();
    this.#made = this.#made.filter(({ at }) => at > now - COUNTED_MS);
    for (const [one, { expiresAt }] of this.#checks) if (expiresAt <= now) this.#checks.delete(one);
    const ofNumber = this.#made.filter((call) => call.number === number).length;
    if (ofNumber >= CALLS_PER_NUMBER || this.#made.length >= MAX_CALLS || this.#live.size >= MAX_AT_A_TIME)
      throw new NumberProblem("too_many", "Too many verification calls");
    this.#made.push({ number, at: now });
  }

  #hash(number: string, code: string): Buffer {
    return createHmac("sha256", this.#key)
      .update(JSON.stringify([number, code]))
      .digest();
  }
}
