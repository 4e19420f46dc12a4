import type { InitiateResponse } from "@farline/contract/calls.ts";
import { base64, type Attacker, type Line } from "./attacker.ts";
import type { Installation } from "./product.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** One way to be connected without paying, or for longer than paid. It only acts: the phone network's calls tell whether it worked. */
export interface Trick {
  /** Its row in the closing table. */
  readonly kind: string;
  readonly name: string;
  play(turn: Turn): Promise<void>;
}

/** Ranges that no trick ever pays for: satellites, personal, premium and ordinary mobile numbers. */
const UNPAID_PREFIXES = ["+88165", "+87077", "+4470", "+3389", "+4479"] as const;

export interface ConnectedCall {
  readonly line: Line;
  readonly callID: string;
  readonly started: InitiateResponse;
  readonly number: string;
}

/** One playing of a trick: who plays it, against whom, and which numbers it is about. */
export class Turn {
  readonly installation: Installation;
  readonly attacker: Attacker;
  /** Another customer, whose secrets the attacker may have been told. */
  readonly victim: Attacker;
  readonly random: SeededRandom;
  /** Dialled without paying: the phone network must never hear of them. */
  readonly unpaidNumbers: string[] = [];
  /** Paid for once each: the phone network may see one call to each, no longer than paid. */
  readonly paidNumbers: string[] = [];
  /** Doors whose answer is known at once. */
  readonly answered: { door: string; refused: boolean }[] = [];
  readonly #serial: number;

  constructor(parts: Pick<Turn, "installation" | "attacker" | "victim" | "random"> & { serial: number }) {
    this.installation = parts.installation;
    this.attacker = parts.attacker;
    this.victim = parts.victim;
    this.random = parts.random;
    this.#serial = parts.serial;
  }

  /** A London number of this turn's own. */
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

  check(door: string, refused: boolean): void {
    this.answered.push({ door, refused });
  }

  /** Dials without waiting for more than the call's fate. */
  async dial(to: string, more: Record<string, unknown>): Promise<void> {
    const line = await this.attacker.line();
    await line.outcome(await line.invite(to, more));
  }

  /**
   * A call that is paid for and connected, as every honest one.
   * @param seconds the longest it may last; left out: what its hold pays for
   */
  async connect({ caller = this.attacker, seconds }: { caller?: Attacker; seconds?: number } = {}): Promise<ConnectedCall> {
    const number = this.paid();
    const started = await caller.authorise(number);
    if (seconds !== undefined)
      await this.installation.database.handle.pool.query("update call set cap_seconds = $2 where id = $1", [
        started.call.id,
        seconds,
      ]);
    const line = await caller.line();
    const callID = await line.invite(number, { clientState: base64(started.ticket) });
    const outcome = await line.outcome(callID);
    if (outcome !== "answered") throw new Error(`an honest call to ${number} was not connected: ${outcome}`);
    return { line, callID, started, number };
  }
}
