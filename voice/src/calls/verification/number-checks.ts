import { createHmac, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import type { Language } from "@farline/contract/languages.ts";
import { mayBeCallerId } from "@farline/domain/numbers/caller-id.ts";
import { normalizeNumber } from "@farline/domain/numbers/phone-number.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import type { CallerIds, NumberProof } from "../caller-ids.ts";
import { VerificationCall, type VerificationCallOptions } from "./verification-call.ts";

const CODE_DIGITS = 6;
export const CODE_LIFE_MS = 10 * 60_000;
const MAX_ATTEMPTS = 3;
/** A second line of defence behind the service's limits: an API key alone must not suffice to call people at our cost. */
const CALLS_PER_NUMBER = 5;
const MAX_CALLS = 500;
const MAX_CONCURRENT_CALLS = 10;
const COUNT_WINDOW_MS = DAY_MS;

type NumberProblemCode = "not_possible" | "bad_number" | "busy" | "too_many" | "no_check" | "wrong_code";

/** A refused verification. */
export class NumberProblem extends Error {
  readonly code: NumberProblemCode;

  constructor(code: NumberProblemCode, message: string) {
    super(message);
    this.code = code;
  }
}

interface Check {
  readonly codeHash: Buffer;
  readonly expiresAt: number;
  attempts: number;
}

interface NumberCheckOptions extends VerificationCallOptions {
  readonly callerIds: CallerIds;
  /** Whether any trunk may show customers' numbers. */
  readonly canShow: () => boolean;
}

/**
 * Verifies numbers: calls a number, reads a code, and checks the code that the customer enters. Codes are kept hashed in memory for ten
 * minutes, so a restart requires a new call.
 */
export class NumberChecks {
  readonly #options: NumberCheckOptions;
  readonly #key = randomBytes(32);
  readonly #checks = new Map<string, Check>();
  /** Calls of the last 24 hours, oldest first. */
  #recentCalls: { readonly number: string; readonly at: number }[] = [];
  readonly #live = new Map<string, VerificationCall>();

  constructor(options: NumberCheckOptions) {
    this.#options = options;
  }

  /** Calls a number and reads a new code, which replaces an earlier one. @throws NumberProblem; then no call is made */
  start(number: string, language: Language): void {
    const { callerIds, canShow } = this.#options;
    if (!canShow()) throw new NumberProblem("not_possible", "No trunk of this exchange shows numbers of customers");
    const found = normalizeNumber(number, null);
    if (!found.ok || found.e164 !== number || number === callerIds.exchangeNumber || !mayBeCallerId(found, null))
      throw new NumberProblem("bad_number", "phone_number must be an ordinary number in E.164");
    if (this.#live.has(number)) throw new NumberProblem("busy", "This number is being called");
    this.#count(number);
    const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, "0");
    this.#checks.set(number, { codeHash: this.#hash(number, code), expiresAt: Date.now() + CODE_LIFE_MS, attempts: 0 });
    const call = new VerificationCall(this.#options, { to: number, from: callerIds.exchangeNumber, code, language });
    this.#live.set(number, call);
    void call.over.finally(() => {
      if (this.#live.get(number) === call) this.#live.delete(number);
    });
  }

  /** Verifies the code. @returns the proof. @throws NumberProblem `wrong_code`, or `no_check` if none is pending */
  confirm(number: string, code: string): NumberProof {
    const check = this.#checks.get(number);
    if (check === undefined || check.expiresAt <= Date.now() || check.attempts >= MAX_ATTEMPTS) {
      this.#checks.delete(number);
      throw new NumberProblem("no_check", "There is no pending verification of this number");
    }
    check.attempts += 1;
    if (!timingSafeEqual(check.codeHash, this.#hash(number, code)))
      throw new NumberProblem("wrong_code", "The verification code is wrong");
    this.#checks.delete(number);
    return this.#options.callerIds.prove(number);
  }

  /** Revokes the number's proofs and ends its verification. */
  remove(number: string): void {
    this.#checks.delete(number);
    this.#live.get(number)?.hangUp();
    this.#live.delete(number);
    this.#options.callerIds.remove(number);
  }

  stop(): void {
    for (const call of this.#live.values()) call.hangUp();
  }

  #count(number: string): void {
    const now = Date.now();
    this.#recentCalls = this.#recentCalls.filter(({ at }) => at > now - COUNT_WINDOW_MS);
    for (const [one, { expiresAt }] of this.#checks) if (expiresAt <= now) this.#checks.delete(one);
    const ofNumber = this.#recentCalls.filter((call) => call.number === number).length;
    if (ofNumber >= CALLS_PER_NUMBER || this.#recentCalls.length >= MAX_CALLS || this.#live.size >= MAX_CONCURRENT_CALLS)
      throw new NumberProblem("too_many", "Too many verification calls");
    this.#recentCalls.push({ number, at: now });
  }

  #hash(number: string, code: string): Buffer {
    return createHmac("sha256", this.#key)
      .update(JSON.stringify([number, code]))
      .digest();
  }
}
