import { z } from "zod";
import { pageQuery } from "./billing.ts";
import { numberType } from "./rates.ts";
import { countryCode, cursor, dollars, id, instant, ratePerMinute } from "./values.ts";

/** Server call states, in order. A call only moves forward. */
export const callStatus = z.enum(["initiated", "ringing", "in-progress", "completed", "failed"]);
export type CallStatus = z.infer<typeof callStatus>;

/** Why a call ended. The web app has plain words for each; unknown ones read as "failed". */
export const endReason = z.enum([
  "hangup", // one of the two hung up an answered call
  "credit_used_up", // the hold was used up and the call cut
  "time_limit", // the longest call we allow was reached, with credit left
  "busy",
  "no_answer",
  "rejected",
  "cancelled", // the caller hung up before the answer
  "invalid_number",
  "network_failure", // the carrier or the way to it failed
  "never_connected", // the browser never reached the voice provider
  "connection_lost", // the browser or the voice provider vanished in the call
  "refused", // our own rules
]);
export type EndReason = z.infer<typeof endReason>;

export const call = z.object({
  id,
  destination_number: z.string(),
  destination_country: countryCode,
  destination_country_name: z.string(),
  number_type: numberType,
  status: callStatus,
  end_reason: endReason.nullable(),
  /** Seconds from answer to end, as the provider reports them (whole, rounded up); 0 when never answered. */
  duration_seconds: z.number().int(),
  /** Seconds charged after the increment is applied. */
  billed_seconds: z.number().int(),
  /** Charged so far, in dollars: final once the call is completed or failed, before that 0. */
  cost: dollars,
  rate_per_minute: ratePerMinute,
  first_interval_s: z.number().int(),
  next_interval_s: z.number().int(),
  rate_prefix: z.string(),
  rate_description: z.string(),
  deck_id: id,
  deck_effective_at: instant,
  /** Longest length this call's hold pays for, in seconds from the answer. */
  max_seconds: z.number().int(),
  held: dollars,
  contact_name: z.string().nullable(),
  telnyx_call_control_id: z.string().nullable(),
  telnyx_call_leg_id: z.string().nullable(),
  telnyx_cost: dollars.nullable(),
  created_at: instant,
  started_at: instant.nullable(),
  answered_at: instant.nullable(),
  ended_at: instant.nullable(),
});
export type Call = z.infer<typeof call>;

/** `POST /api/calls/initiate`. Twice with the same `Idempotency-Key` header is one call. */
export const initiateRequest = z.object({
  destination_number: z.string({ error: "Please enter a phone number" }).min(1, "Please enter a phone number").max(64),
  destination_country: countryCode.optional(),
});
export type InitiateRequest = z.infer<typeof initiateRequest>;

/** Answer of `POST /api/calls/initiate` (201): everything the browser gives to the voice SDK's `newCall`. */
export const initiateResponse = z.object({
  call,
  /** Unguessable, single use, this call and this caller only. Goes out as `clientState`, base64. */
  ticket: z.string(),
  caller_number: z.string(),
  /** When the ticket stops being good. */
  ticket_expires_at: instant,
});
export type InitiateResponse = z.infer<typeof initiateResponse>;

/** Answer of `GET /api/calls/token`: how to sign in to the voice provider. The token alone dials nothing. */
export const voiceTokenResponse = z.object({
  token: z.string(),
  expires_at: instant,
  voice: z.object({
    /** WebSocket address for the SDK's `host`; null is the provider's own. */
    host: z.string().nullable(),
    /** ICE servers for the SDK; null is the SDK's own list, [] is none. */
    ice_servers: z
      .array(z.object({ urls: z.string(), username: z.string().optional(), credential: z.string().optional() }))
      .nullable(),
    trickle_ice: z.boolean(),
  }),
});
export type VoiceTokenResponse = z.infer<typeof voiceTokenResponse>;

/** `PATCH /api/calls/{id}/control-id`: a hint that joins records; it never starts, ends, prices or shortens a charge. */
export const controlIdRequest = z.object({
  telnyx_leg_id: z.string().max(255).nullish(),
  telnyx_session_id: z.string().max(255).nullish(),
  call_id: z.string().max(255).nullish(),
});

export const callResponse = z.object({ call });
export type CallResponse = z.infer<typeof callResponse>;

export const historyQuery = pageQuery;
/** Answer of `GET /api/calls/history`, newest first. */
export const historyResponse = z.object({
  calls: z.object({ data: z.array(call), next_cursor: cursor.nullable(), total: z.number().int() }),
});
export type HistoryResponse = z.infer<typeof historyResponse>;
