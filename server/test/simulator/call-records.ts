import { priceClassOf } from "@farline/domain/calls/call-terms.ts";
import type { CallRow } from "../../src/calls/calls.tables.ts";

/** Dollars a minute in micro-dollars, first and next increment in seconds, and the longest call in seconds. */
export type SimRate = readonly [ratePerMinuteMicros: bigint, first: number, next: number, capSeconds: number];

export const simRates: readonly SimRate[] = [
  [21_000n, 1, 1, 3_600],
  [150_000n, 1, 1, 3_600],
  [600_000n, 6, 6, 1_200],
  [314_159n, 60, 60, 1_200],
  [99_999n, 30, 6, 1_200],
];

/** A call as it is written when it is authorised. */
export function newCall(of: {
  readonly id: string;
  readonly customerId: string;
  readonly key: string;
  readonly rate: SimRate;
  readonly heldMicros: bigint;
  readonly atMs: number;
  readonly ticketLifeMs: number;
}): CallRow {
  const [ratePerMinuteMicros, first, next, capSeconds] = of.rate;
  const at = new Date(of.atMs);
  return {
    id: of.id,
    customer_id: of.customerId,
    destination: "+442079460001",
    country_code: "GB",
    number_type: "landline",
    status: "initiated",
    end_reason: null,
    idempotency_key: of.key,
    rate_prefix: "44",
    rate_description: "United Kingdom",
    rate_per_minute_micros: ratePerMinuteMicros,
    price_class: priceClassOf(ratePerMinuteMicros, null),
    first_interval_seconds: first,
    next_interval_seconds: next,
    deck_id: "deck",
    deck_effective_at: at,
    held_micros: of.heldMicros,
    cap_seconds: capSeconds,
    bounded_by: "credit",
    limit_seconds: null,
    extendable: true,
    ends_at: null,
    warned_seconds: null,
    ticket_hash: Buffer.alloc(0),
    ticket_expires_at: new Date(of.atMs + of.ticketLifeMs),
    ticket_used_at: null,
    parked_call_control_id: null,
    parked_leg_id: null,
    session_id: null,
    far_call_control_id: null,
    far_leg_id: null,
    transferred_at: null,
    client_leg_id: null,
    client_session_id: null,
    client_call_id: null,
    created_at: at,
    started_at: null,
    answered_at: null,
    ended_at: null,
    duration_ms: 0,
    billed_seconds: 0,
    charge_micros: 0n,
    carrier_cost_micros: null,
    hangup_requested_at: null,
    hang_up_at: null,
    left_page: null,
    last_seen_alive_at: null,
    next_check_at: new Date(of.atMs + of.ticketLifeMs),
  };
}
