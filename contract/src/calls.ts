import { told } from "./errors.ts";
import { reason } from "@farline/texts/reason.ts";
import { numberRefusals } from "./api/error-codes.ts";
import type { Endpoints } from "./api/endpoint.ts";
import { z } from "zod";
import { callPrice, numberType } from "./rates.ts";
import { countryCode, cursor, dollars, id, instant, ratePerMinute, typedDollars } from "./values.ts";

/** States of a call, in order. A call only moves forward. */
export const callStatus = z.enum(["initiated", "ringing", "in-progress", "completed", "failed"]);
export type CallStatus = z.infer<typeof callStatus>;

/** Why a call ended. The web app has a text for each; unknown reasons show as "failed". */
export const endReason = z.enum([
  "hangup", // either side hung up an answered call
  "credit_used_up", // the hold ran out and the call was cut
  "time_limit", // the longest call we allow was reached, with credit left
  "own_limit", // the caller's own guard rail: what one call or one day may cost
  "busy",
  "no_answer",
  "rejected",
  "cancelled", // the caller hung up before the answer
  "invalid_number",
  "network_failure", // the carrier or the route to it failed
  "never_connected", // the browser never reached the voice provider
  "connection_lost", // the browser or the voice provider vanished in the call
  "refused", // refused by the service's rules
]);
export type EndReason = z.infer<typeof endReason>;

/** Which side hung up an answered call. */
export const hungUpBy = z.enum(["caller", "callee"]);
export type HungUpBy = z.infer<typeof hungUpBy>;

/** What determines `max_seconds`: the credit set aside, the longest call allowed, or the caller's own limits. */
export const callBound = z.enum(["credit", "longest_call", "call_cap", "daily_cap"]);

export const call = z.object({
  id,
  destination_number: z.string(),
  destination_country: countryCode,
  destination_country_name: z.string(),
  number_type: numberType,
  status: callStatus,
  end_reason: endReason.nullable(),
  /** Who ended a call whose `end_reason` is `hangup`; null if the voice provider does not say. */
  hung_up_by: hungUpBy.nullable(),
  /** Seconds from answer to end, as the provider reports them (whole, rounded up); 0 when never answered. */
  duration_seconds: z.number().int(),
  /** Seconds charged after the increment is applied. */
  billed_seconds: z.number().int(),
  /**
   * The silence of a lost side before the call was given up, in whole seconds, rounded up. If it is free, `duration_seconds` ends before it.
   * Null: there was none.
   */
  silence: z.object({ seconds: z.number().int(), is_free: z.boolean() }).nullable(),
  /** Dollars charged: 0 until the call is completed or failed, then final. */
  cost: dollars,
  rate_per_minute: ratePerMinute,
  first_interval_s: z.number().int(),
  next_interval_s: z.number().int(),
  rate_prefix: z.string(),
  rate_description: z.string(),
  deck_id: id,
  deck_effective_at: instant,
  /** The longest duration that this call's hold covers, in seconds from the answer. */
  max_seconds: z.number().int(),
  /** What sets `max_seconds`. While it is `credit`, a top-up during the call extends it. */
  bounded_by: callBound.optional(),
  /** False if the voice provider cannot change the limit of a running call: a top-up then does not extend this call. */
  extendable: z.boolean().optional(),
  held: dollars,
  contact_name: z.string().nullable(),
  /** The number that the called person saw; null for calls made before it was recorded. */
  caller_number: z.string().nullable(),
  telnyx_call_control_id: z.string().nullable(),
  telnyx_call_leg_id: z.string().nullable(),
  telnyx_cost: dollars.nullable(),
  created_at: instant,
  started_at: instant.nullable(),
  answered_at: instant.nullable(),
  ended_at: instant.nullable(),
});
export type Call = z.infer<typeof call>;

/** `POST /api/calls/initiate`. Repeats with the same `Idempotency-Key` header create one call. */
const callWanted = z.object({
  destination_number: z
    .string({ error: reason("number_needed") })
    .min(1, reason("number_needed"))
    .max(64),
  destination_country: countryCode.optional(),
});

/** Ticket of a call or an echo test: 32 bytes, base64url. */
const ticket = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/** Longer increments are not sold. */
const MAX_INTERVAL_SECONDS = 3_600;
const intervalSeconds = z.number().int().min(1).max(MAX_INTERVAL_SECONDS);

export const initiateRequest = callWanted.extend({
  /**
   * Drawn by the page, so that it can dial while the service decides: unguessable, single use, for this call and caller only. Without
   * it, the service draws one, for pages of the previous release.
   */
  ticket: ticket.optional(),
  /** The price that the caller was shown. A call that could be charged more is refused with `price_changed` and its price. */
  shown_price: z
    .object({ rate_per_minute: ratePerMinute, first_interval_s: intervalSeconds, next_interval_s: intervalSeconds })
    .optional(),
});
export type InitiateRequest = z.infer<typeof initiateRequest>;

/** What `POST /api/calls/quote` takes. */
export const quoteRequest = callWanted;
export type QuoteRequest = z.infer<typeof quoteRequest>;

/** Answer of `POST /api/calls/initiate` (201): everything the browser passes to the voice SDK's `newCall`. */
export const initiateResponse = z.object({
  call,
  /** The request's ticket, or one that the service drew. Sent as `clientState`, base64. */
  ticket: z.string(),
  caller_number: z.string(),
  /** When the ticket expires. */
  ticket_expires_at: instant,
});
export type InitiateResponse = z.infer<typeof initiateResponse>;

/** Answer of `POST /api/calls/quote`: what `initiate` would do now. A number that nobody can call is refused as by `initiate`. */
export const callQuoteResponse = z.object({
  /** What the call is charged by; `price.number` is the number that would be dialled. */
  price: callPrice,
  /** The longest possible duration of this call now, in seconds; null if it would be refused. */
  max_seconds: z.number().int().nullable(),
  /** Whether the grant for a first call pays for it alone. */
  is_free_first_call: z.boolean(),
  /** Error code that `initiate` would return; null when the call is allowed. */
  refusal: z.object({ code: z.string(), message: z.string(), ...told.shape }).nullable(),
});
export type CallQuoteResponse = z.infer<typeof callQuoteResponse>;

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
  /** The caller's number of the parked leg. The called person sees the number that the service chooses for the call. */
  caller_number: z.string(),
});
export type VoiceTokenResponse = z.infer<typeof voiceTokenResponse>;

/** `PATCH /api/calls/{id}/control-id`: a hint that links records; it never starts, ends or changes a charge. */
export const controlIdRequest = z.object({
  telnyx_leg_id: z.string().max(255).nullish(),
  telnyx_session_id: z.string().max(255).nullish(),
  call_id: z.string().max(255).nullish(),
});

export const callResponse = z.object({ call });

/** Answer of `GET /api/calls/live`: the caller's running call, for another tab or a reloaded page. */
export const liveCallResponse = z.object({
  call: call.nullable(),
  /** Whether the browser's leg is still at the voice provider and nobody has hung up: a page that knows the leg may rejoin. */
  rejoinable: z.boolean(),
  /** The service's time, used to set the timer. */
  now: instant,
});
export type LiveCallResponse = z.infer<typeof liveCallResponse>;

/** One load of a page: generated at load, so a reloaded page has a new one. */
const page = z.uuid();

/**
 * `POST /api/calls/{id}/leave`, sent as a beacon by a page that closes while it is in the call or offers to
 * rejoin it. The call is hung up `SECONDS_TO_RETURN` later, unless a page loaded meanwhile reports itself (`stayRequest`). Repeats, and requests for calls that are over, change nothing.
 */
export const leaveRequest = z.object({ page });

/** `POST /api/calls/{id}/stay`: a page that is in the call, or offers to rejoin it, identifies itself and gets the call. */
export const stayRequest = z.object({ page });

/**
 * `POST /api/calls/{id}/hangup`. The body is optional. If it has the call's ticket, no bearer token is needed, so that
 * a closing page can send it as a beacon (as `application/json`).
 */
export const hangupRequest = z.object({ ticket: ticket.optional() }).nullish();

/**
 * Answer of `POST /api/calls/{id}/extend`: sets aside the available credit for the running call. `outcome` is the
 * result: extended, no more credit, a limit other than credit reached, or a provider that cannot change the limit.
 */
export const extendResponse = z.object({
  call,
  outcome: z.enum(["extended", "no_credit", "longest_call", "call_cap", "daily_cap", "not_possible"]),
});
export type ExtendResponse = z.infer<typeof extendResponse>;

/** Answer of `POST /api/calls/echo-test` (201): a short, free call to the exchange's own echo. */
export const echoTestResponse = z.object({
  /** Destination for the SDK's `newCall`. */
  destination_number: z.literal("echo"),
  /** Single use, for this caller only. Sent as `clientState`, base64, as for a call. */
  ticket: z.string(),
  caller_number: z.string(),
  ticket_expires_at: instant,
  max_seconds: z.number().int(),
});
export type EchoTestResponse = z.infer<typeof echoTestResponse>;

/** Maximum number of countries in the list. */
const MAX_ALLOWED_COUNTRIES = 250;

/** The caller's own limits; null means none. They apply immediately to new calls and extensions. */
export const guardRails = z.object({
  /** Maximum cost of calls per day. */
  daily_cap: dollars.nullable(),
  /** Maximum cost of one call. */
  call_cap: dollars.nullable(),
  /** The only countries that may be called. */
  countries: z.array(countryCode).min(1, reason("countries_needed")).max(MAX_ALLOWED_COUNTRIES).nullable(),
  /** IANA name of the time zone whose midnight begins the day of `daily_cap`. */
  time_zone: z.string().min(1).max(64),
});

/** `PUT /api/calls/guard-rails`: amounts as typed, at most two decimals. */
export const guardRailsRequest = guardRails.extend({
  daily_cap: typedDollars.nullable(),
  call_cap: typedDollars.nullable(),
});
export type GuardRailsRequest = z.input<typeof guardRailsRequest>;
/** The request with its amounts read. */
export type GuardRailsOrder = z.output<typeof guardRailsRequest>;

/** Answer of `GET` and `PUT /api/calls/guard-rails`. */
export const guardRailsResponse = z.object({
  guard_rails: guardRails,
  today: z.object({
    /** Charged today, plus the amount set aside for a running call. */
    spent: dollars,
    /** When the next day begins. */
    resets_at: instant,
  }),
});
export type GuardRailsResponse = z.infer<typeof guardRailsResponse>;

/** Answer of `GET /api/calls/history` (query: `historyQuery` of call-history.ts), newest first. */
export const historyResponse = z.object({
  calls: z.object({ data: z.array(call), next_cursor: cursor.nullable(), total: z.number().int() }),
});
export type HistoryResponse = z.infer<typeof historyResponse>;

export const callEndpoints = {
  "GET /api/calls/live": { access: "customer", answer: liveCallResponse },
  "POST /api/calls/:id/extend": { access: "customer", answer: extendResponse, refusals: ["not_found"] },
  "POST /api/calls/echo-test": {
    access: "customer",
    status: 201,
    answer: echoTestResponse,
    refusals: ["account_closing", "account_frozen", "no_credit", "voice_provider_down"],
  },
  "GET /api/calls/guard-rails": { access: "customer", answer: guardRailsResponse },
  "PUT /api/calls/guard-rails": { access: "step-up-when", body: guardRailsRequest, answer: guardRailsResponse },
  "GET /api/calls/token": {
    access: "customer",
    answer: voiceTokenResponse,
    refusals: ["account_closing", "account_frozen", "no_credit", "voice_provider_down"],
  },
  "GET /api/calls/:id": { access: "customer", answer: callResponse, refusals: ["not_found"] },
  "POST /api/calls/:id/stay": { access: "customer", body: stayRequest, answer: callResponse, refusals: ["not_found"] },
  "POST /api/calls/:id/leave": { access: "customer", body: leaveRequest, answer: callResponse, refusals: ["not_found"] },
  "POST /api/calls/:id/hangup": {
    access: "visitor",
    body: hangupRequest,
    answer: callResponse,
    refusals: ["not_found", "unauthenticated", "voice_provider_down"],
  },
  "PATCH /api/calls/:id/control-id": {
    access: "customer",
    body: controlIdRequest,
    answer: callResponse,
    refusals: ["not_found"],
  },
  "POST /api/calls/initiate": {
    access: "customer",
    body: initiateRequest,
    status: 201,
    answer: initiateResponse,
    refusals: [
      ...numberRefusals,
      "account_closing",
      "account_frozen",
      "call_cap_too_low",
      "calls_paused",
      "conflict",
      "country_not_allowed",
      "daily_cap_reached",
      "destination_blocked",
      "destination_not_open",
      "destination_paused",
      "email_not_confirmed",
      "first_call_too_short",
      "fresh_credit",
      "insufficient_credit",
      "no_credit",
      "no_rate",
      "price_changed",
      "spend_limit_reached",
      "too_many_destinations",
      "too_many_live_calls",
    ],
  },
  "POST /api/calls/quote": {
    access: "customer",
    body: quoteRequest,
    answer: callQuoteResponse,
    refusals: [...numberRefusals, "destination_blocked", "no_rate"],
  },
} as const satisfies Endpoints;
