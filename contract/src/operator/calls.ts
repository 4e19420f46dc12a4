import { z } from "zod";
import { callDetailsResponse } from "../call-details.ts";
import { callStatus, endReason, hungUpBy } from "../calls.ts";
import { countryCode, dollars, id, instant, ratePerMinute } from "../values.ts";

const leg = z.enum(["parked", "far"]);

/** How an attempt over one trunk ended. */
const attemptOutcome = z.enum(["answered", "refused", "failed", "silent", "unanswered", "cancelled"]);
export type AttemptOutcome = z.infer<typeof attemptOutcome>;

/** What set the amount that a call was allowed. */
export const decisionBound = z.enum(["credit", "longest_call", "spend_limit", "call_cap", "daily_cap", "family_limit"]);
export type DecisionBound = z.infer<typeof decisionBound>;

/**
 * What a call was allowed by, as operators read it later: the tier and its limits may have changed since. Stored as a list in this order,
 * because the names would be most of a call's row: a new one is added at the end.
 */
export const DECISION_INPUTS = [
  "tier",
  "risk",
  "available",
  "bonus",
  "first_call_left",
  "live_calls",
  "calls_in_day",
  "same_number_in_hour",
  "other_numbers_in_day",
  "other_countries_in_day",
  "short_calls_in_hour",
  "spent_in_day",
  "spend_limit_per_day",
  "own_call_cap",
  "own_daily_cap",
] as const;
export type DecisionInput = (typeof DECISION_INPUTS)[number];

/** What is known about a call: of the provider's events, of its answers to our questions, and of what the service did. */
const callEventKinds = [
  "initiated",
  "answered",
  "bridged",
  "hangup",
  "cost",
  "found_ended",
  "found_lost",
  "found_record",
  "cancelled",
  "ticket_expired",
  "limit_passed",
  "account_frozen",
  "credit_owed",
  "access_ended",
  "session_ended",
  "ended_by_operator",
  "parked_leg_answered",
  "transfer_failed",
] as const;
export type CallEventKind = (typeof callEventKinds)[number];

/** What operators read of an event: why and how it ended, and what it cost. The rest repeats the call or is the provider's own. */
export const eventDetails = [
  "hangup_cause",
  "hangup_source",
  "sip_hangup_cause",
  "heard_until",
  "state",
  "answered_at",
  "caller_gone",
  "total_cost",
] as const;
export type EventDetail = (typeof eventDetails)[number];

/** An attempt to connect the call over one trunk. */
const attempt = z.object({
  trunk: z.string(),
  started_at: z.string(),
  duration_ms: z.number(),
  post_dial_delay_ms: z.number().nullable(),
  sip_status: z.number().nullable(),
  q850_cause: z.number().nullable(),
  outcome: attemptOutcome,
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
    bounded_by: decisionBound,
    cap_seconds: z.number(),
    limit_seconds: z.number().nullable(),
    provider_seconds: z.number().nullable(),
    inputs: z.partialRecord(z.enum(DECISION_INPUTS), z.union([z.string(), z.number(), z.null()])).nullable(),
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
      kind: z.enum(callEventKinds),
      leg: leg.nullable(),
      /** Values are the provider's, bounded and masked. */
      detail: z.partialRecord(z.enum(eventDetails), z.string()),
    }),
  ),
  quality: callDetailsResponse.shape.quality,
  /** Null during the call, if unknown, and for roles that may not see costs. */
  cost: dollars.nullable(),
  margin: dollars.nullable(),
});
export type OperatorCallResponse = z.infer<typeof operatorCallResponse>;
