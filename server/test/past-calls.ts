import type { CallStatus, EndReason } from "@farline/contract/calls.ts";
import type { PriceClass } from "@farline/domain/calls/call-terms.ts";
import { randomBytes } from "node:crypto";
import type pg from "pg";
import { uuidv7 } from "uuidv7";

/** A call of the past as recorded. */
export interface PastCall {
  customerId: string;
  createdAt: Date;
  destination?: string;
  countryCode?: string;
  status?: Extract<CallStatus, "completed" | "failed">;
  endReason?: EndReason;
  durationMs?: number;
  chargeMicros?: bigint;
  /** What its silence took from the budgets; absent: none was forgiven. */
  forgivenMicros?: bigint;
  priceClass?: PriceClass;
}

const PRICE_LIST = "00000000-0000-7000-8000-000000000001";
const RATE_MICROS = 60_000n;

/** Inserts past calls without placing them, and without charges in the ledger. Returns their ids. */
export async function insertPastCalls(pool: pg.Pool, calls: readonly PastCall[]): Promise<string[]> {
  const ids = calls.map(() => uuidv7());
  for (const [index, call] of calls.entries()) {
    const durationMs = call.durationMs ?? 60_000;
    const status = call.status ?? "completed";
    const charge = status === "failed" ? 0n : (call.chargeMicros ?? 60_000n);
    const endedAt = new Date(call.createdAt.getTime() + 5_000 + durationMs);
    await pool.query(
      `insert into call (id, customer_id, destination, country_code, number_type, status, end_reason, rate_prefix,
         rate_description, rate_per_minute_micros, price_class, first_interval_seconds, next_interval_seconds, deck_id, deck_effective_at,
         held_micros, cap_seconds, ticket_hash, ticket_expires_at, created_at, started_at, answered_at, ended_at, duration_ms,
         billed_seconds, charge_micros, silent_ms, forgiven_micros)
       values ($1, $2, $3, $4, 'mobile', $5, $6, $7, 'Somewhere', $8, $19, 1, 1, $9, $10, $11, 7200, $12, $10, $10, $13, $14, $15,
         $16, $17, $18, $20, $21)`,
      [
        ids[index],
        call.customerId,
        call.destination ?? "+442079460000",
        call.countryCode ?? "GB",
        status,
        call.endReason ??
          (call.forgivenMicros !== undefined ? "connection_lost" : status === "completed" ? "hangup" : "no_answer"),
        "44",
        RATE_MICROS,
        PRICE_LIST,
        call.createdAt,
        charge + 1n,
        randomBytes(32),
        status === "completed" ? new Date(call.createdAt.getTime() + 2_000) : null,
        status === "completed" ? new Date(call.createdAt.getTime() + 5_000) : null,
        endedAt,
        status === "completed" ? durationMs : 0,
        status === "completed" ? Math.ceil(durationMs / 1000) : 0,
        charge,
        call.priceClass ?? "A",
        call.forgivenMicros === undefined ? 0 : 1,
        call.forgivenMicros ?? null,
      ],
    );
  }
  return ids;
}
