import { sql } from "kysely";
import type { CallStatus, EndReason } from "@farline/contract/calls.ts";
import type { PriceClass } from "@farline/domain/calls/call-terms.ts";
import { randomBytes } from "node:crypto";
import { uuidv7 } from "uuidv7";
import type { Tx } from "../src/platform/database/database.ts";

/** The record of a past call. */
export interface PastCall {
  id?: string;
  customerId: string;
  createdAt: Date;
  destination?: string;
  countryCode?: string;
  status?: Extract<CallStatus, "completed" | "failed">;
  endReason?: EndReason;
  durationMs?: number;
  chargeMicros?: bigint;
  /** The forgiven silence charged to the budgets; absent if none was forgiven. */
  forgivenMicros?: bigint;
  priceClass?: PriceClass;
  numberType?: string;
  /** The prefix of the rate. */
  ratePrefix?: string;
}

const PRICE_LIST = "00000000-0000-7000-8000-000000000001";
const RATE_MICROS = 60_000n;

/** Inserts past calls without placing them, and without charges in the ledger. Returns their ids. */
export async function insertPastCalls(db: Tx, calls: readonly PastCall[]): Promise<string[]> {
  const ids = calls.map(({ id = uuidv7() }) => id);
  for (const [index, call] of calls.entries()) {
    const durationMs = call.durationMs ?? 60_000;
    const status = call.status ?? "completed";
    const charge = status === "failed" ? 0n : (call.chargeMicros ?? 60_000n);
    const endedAt = new Date(call.createdAt.getTime() + 5_000 + durationMs);
    await sql`insert into call (id, customer_id, destination, country_code, number_type, status, end_reason, rate_prefix,
         rate_description, rate_per_minute_micros, price_class, first_interval_seconds, next_interval_seconds, deck_id, deck_effective_at,
         held_micros, cap_seconds, ticket_hash, ticket_expires_at, created_at, started_at, answered_at, ended_at, duration_ms,
         billed_seconds, charge_micros, silent_ms, forgiven_micros)
       values (${ids[index]}, ${call.customerId}, ${call.destination ?? "+442079460000"}, ${call.countryCode ?? "GB"}, ${call.numberType ?? "mobile"}, ${status}, ${
         call.endReason ??
         (call.forgivenMicros !== undefined ? "connection_lost" : status === "completed" ? "hangup" : "no_answer")
       }, ${call.ratePrefix ?? "44"}, 'Somewhere', ${RATE_MICROS}, ${call.priceClass ?? "A"}, 1, 1, ${PRICE_LIST}, ${call.createdAt}, ${charge + 1n}, 7200, ${randomBytes(32)}, ${call.createdAt}, ${call.createdAt}, ${status === "completed" ? new Date(call.createdAt.getTime() + 2_000) : null}, ${status === "completed" ? new Date(call.createdAt.getTime() + 5_000) : null}, ${endedAt},
         ${status === "completed" ? durationMs : 0}, ${status === "completed" ? Math.ceil(durationMs / 1000) : 0}, ${charge}, ${call.forgivenMicros === undefined ? 0 : 1}, ${call.forgivenMicros ?? null})`.execute(
      db,
    );
  }
  return ids;
}
