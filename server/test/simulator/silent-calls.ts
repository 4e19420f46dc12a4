import { DAY_MS } from "@farline/domain/durations.ts";
import { chargeFor } from "@farline/domain/calls/charge.ts";
import { createBatchedAuthorise } from "../../src/calls/authorise/authorise-batch.ts";
import { createSettleCall } from "../../src/calls/settle/settle-call.ts";
import type { DatabaseHandle } from "../../src/platform/database/database.ts";
import { authoriseRequest } from "../draft-call.ts";
import type { Random } from "./random.ts";
import { testContext } from "../test-context.ts";

/** The most expensive ordinary destination. */
const RATE = { ratePerMinuteMicros: 150_000n, firstIntervalSeconds: 1, nextIntervalSeconds: 1 };
/** Maximum daily loss by one account, and by all accounts that call one number. */
const MAX_LOST_MICROS = 300_000n;
const NUMBERS = 4;

interface Loss {
  readonly customerId: string;
  readonly number: string;
  readonly atMs: number;
  readonly micros: bigint;
}

/** Calls in which the player or the accomplice falls silent on purpose. Keeps its own count of unpaid carrier costs. */
export class SilentCalls {
  readonly #handle: DatabaseHandle;
  readonly #random: Random;
  readonly #losses: Loss[] = [];

  constructor(handle: DatabaseHandle, random: Random) {
    this.#handle = handle;
    this.#random = random;
  }

  /** @returns the call and its charge; null if it was refused */
  async make(customerId: string, at: Date): Promise<{ id: string; chargeMicros: bigint } | null> {
    const ctx = testContext({ handle: this.#handle });
    const number = `+4474001234${String(this.#random.between(10, 9 + NUMBERS))}`;
    const request = authoriseRequest(customerId, { at, rate: RATE, proposed: { limits: null } });
    const { call } = await createBatchedAuthorise(ctx)({ ...request, draft: { ...request.draft, destination: number } });
    if (call === undefined) return null;
    const durationMs = this.#random.pick([0, 1_000, 12_000]);
    const silence = { ms: this.#random.pick([30_000, 45_000, 60_000]), isOurFault: false };
    const end = { atMs: at.getTime(), reason: "connection_lost" as const, hungUpBy: null, durationMs, silence };
    const answeredAtMs = end.atMs - durationMs - silence.ms;
    const outcome = { status: "completed" as const, startedAtMs: answeredAtMs, answeredAtMs, end };
    const settled = await createSettleCall(ctx)(call, { ...outcome, needsProof: false, carrierCostMicros: null });
    const micros = chargeFor((durationMs + silence.ms) / 1000, RATE) - settled.charge_micros;
    this.#losses.push({ customerId, number, atMs: end.atMs, micros });
    return { id: call.id, chargeMicros: settled.charge_micros };
  }

  /** @param hasPaid whether the customer ever paid. @returns the broken rule, or null */
  rule(hasPaid: (customerId: string) => boolean): string | null {
    const gift = this.#losses.find(({ customerId, micros }) => micros > 0n && !hasPaid(customerId));
    if (gift !== undefined) return `G4: ${gift.micros} micro-dollars of silence for somebody who never paid`;
    for (const key of ["customerId", "number"] as const)
      for (const one of this.#losses) {
        const inDay = (other: Loss) => other[key] === one[key] && other.atMs <= one.atMs && other.atMs > one.atMs - DAY_MS;
        const lost = this.#losses.filter(inDay).reduce((sum, { micros }) => sum + micros, 0n);
        if (lost > MAX_LOST_MICROS) return `G4: ${lost} micro-dollars of silence in a day for one ${key}`;
      }
    return null;
  }
}
