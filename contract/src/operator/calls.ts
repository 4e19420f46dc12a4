import { z } from "zod";
import { callDetailsResponse } from "../call-details.ts";
import { callStatus, endReason, hungUpBy } from "../calls.ts";
import { countryCode, dollars, id, instant, ratePerMinute } from "../values.ts";

const leg = z.enum(["parked", "far"]);

/** An attempt to connect the call over one trunk. */
const attempt = z.object({
  trunk: z.string(),
  started_at: z.string(),
  duration_ms: z.number(),
  post_dial_delay_ms: z.number().nullable(),
  sip_status: z.number().nullable(),
  q850_cause: z.number().nullable(),
  outcome: z.string(),
});

/** `GET /api/operator/calls/:id`. */
export const operatorCallResponse = z.object({
  call: z.object({
    id,
    customer_id: z.uuid(),
    email: z.string(),
    /** The family's owner, whose credit pays; null if it is the caller's own. */
    payer_id: z.uuid().nullable(),
    payer_email: z.string().nullable(),
    destination: z.string(),
    country_code: countryCode,
    number_type: z.string(),
    caller_number: z.string().nullable(),
    status: callStatus,
    end_reason: endReason.nullable(),
    hung_up_by: hungUpBy.nullable(),
    created_at: instant,
    started_at: instant.nullable(),
    answered_at: instant.nullable(),
    ended_at: instant.nullable(),
    last_seen_alive_at: instant.nullable(),
    duration_ms: z.number(),
    silent_ms: z.number(),
    billed_seconds: z.number(),
    charge: dollars,
  }),
  price: z.object({
    rate_per_minute: ratePerMinute,
    first_interval_s: z.number(),
    next_interval_s: z.number(),
    prefix: z.string(),
    description: z.string(),
    price_class: z.enum(["A", "B", "C"]),
    deck_id: z.uuid(),
    deck_effective_at: instant,
  }),
  /** What was decided, and what it was decided by; the inputs are null for calls from before they were kept. */
  decision: z.object({
    held: dollars,
    bounded_by: z.string(),
    cap_seconds: z.number(),
    limit_seconds: z.number().nullable(),
    provider_seconds: z.number().nullable(),
    inputs: z.record(z.string(), z.union([z.string(), z.number(), z.null()])).nullable(),
  }),
  legs: z.array(z.object({ leg, control_id: z.string(), leg_id: z.string().nullable() })),
  session_id: z.string().nullable(),
  trunk: z.string().nullable(),
  attempts: z.array(attempt),
  hold: z
    .object({
      state: z.enum(["pending", "posted", "voided"]),
      amount: dollars,
      posted: dollars.nullable(),
      created_at: instant,
      resolved_at: instant.nullable(),
    })
    .nullable(),
  postings: callDetailsResponse.shape.entries,
  /** Every known event, in the order in which they happened. */
  /** The file that its events were moved to; null if they are in `ladder`. */
  events_archived_in: z.string().nullable(),
  ladder: z.array(
    z.object({
      at: instant,
      received_at: instant,
      source: z.enum(["provider", "service"]),
      kind: z.string(),
      leg: leg.nullable(),
      detail: z.string(),
    }),
  ),
  quality: callDetailsResponse.shape.quality,
  /** Null during the call, if unknown, and for roles that may not see costs. */
  cost: dollars.nullable(),
  margin: dollars.nullable(),
});
export type OperatorCallResponse = z.infer<typeof operatorCallResponse>;
