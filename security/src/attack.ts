import type { InitiateResponse } from "@farline/contract/calls.ts";
import { type Attacker, base64, type Line } from "./attacker.ts";
import type { Installation } from "./product.ts";

/** An attempt to be connected without paying, or for longer than paid. It only acts; the phone network's calls show the result. */
export interface Attack {
  /** Its row in the result table. */
  readonly kind: string;
  readonly name: string;
  execute(run: AttackRun): Promise<void>;
}

/** Prefixes that no attack ever pays for: satellite, personal, premium and ordinary mobile numbers. */
const UNPAID_PREFIXES = ["+88165", "+87077", "+4470", "+3389", "+4479"] as const;

export interface ConnectedCall {
  readonly line: Line;
  readonly callID: string;
  readonly started: InitiateResponse;
  readonly number: string;
}

/** One run of an attack: who carries it out, against whom, and with which numbers. */
export class AttackRun {
  readonly installation: Installation;
  readonly attacker: Attacker;
  /** Another customer, some of whose secrets the attacker may know. */
  readonly victim: Attacker;
  readonly random: SeededRandom;
  /** Dialled without paying: the phone network must never see them. */
  readonly unpaidNumbers: string[] = [];
  /** Paid for once each: the phone network may see one call to each, no longer than paid. */
  readonly paidNumbers: string[] = [];
  /** Attempts whose result is known at once. */
  readonly answered: { route: string; refused: boolean }[] = [];
  readonly #serial: number;

  constructor(parts: Pick<AttackRun, "installation" | "attacker" | "victim" | "random"> & { serial: number }) {
    this.installation = parts.installation;
    this.attacker = parts.attacker;
    this.victim = parts.victim;
    this.random = parts.random;
    this.#serial = parts.serial;
  }

  /** A London number that only this run uses. */
  paid(): string {
    const number = `+44203${String(this.#serial * 10 + this.paidNumbers.length).padStart(7, "0")}`;
    this.paidNumbers.push(number);
    return number;
  }

  unpaid(): string {
    const own = String(this.#serial * 10 + this.unpaidNumbers.length).padStart(6, "0");
    const number = `${this.random.pick(UNPAID_PREFIXES)}${own}`;
    this.unpaidNumbers.push(number);
    return number;
  }

  check(route: string, refused: boolean): void {
    this.answered.push({ route, refused });
  }

  /** Dials and waits only for the call's outcome. */
  async dial(to: string, more: Record<string, unknown>): Promise<void> {
    const line = await this.attacker.line();
    await line.outcome(await line.invite(to, more));
  }

  /**
   * Pays for and connects an honest call.
   * @param seconds the call's time limit; by default what its hold pays for
   * @param line the caller's, by default a new one
   * @param number by default one that only this run uses
   */
  async connect(
    of: { caller?: Attacker; seconds?: number; line?: Line; number?: string | undefined } = {},
  ): Promise<ConnectedCall> {
    const { caller = this.attacker, seconds, number = this.paid() } = of;
    if (of.number !== undefined) this.paidNumbers.push(number);
    const started = await caller.authorise(number);
    if (seconds !== undefined)
      await this.installation.database.handle.pool.query("update call set cap_seconds = $2 where id = $1", [
        started.call.id,
        seconds,
      ]);
    const line = of.line ?? (await caller.line());
    const callID = await line.invite(number, { clientState: base64(started.ticket) });
    const outcome = await line.outcome(callID);
    if (outcome !== "answered") throw new Error(`an honest call to ${number} was not connected: ${outcome}`);
    return { line, callID, started, number };
  }
}

/** Random choices that are reproducible from a seed (mulberry32). */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** An integer from 0 to `below` - 1. */
  below(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below);
  }

  pick<T>(from: readonly T[]): T {
    const one = from[this.below(from.length)];
    if (one === undefined) throw new Error("The list is empty.");
    return one;
  }
}
