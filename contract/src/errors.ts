import { z } from "zod";
import { callPrice } from "./rates.ts";
import { robotChallenge } from "./robot-check.ts";
import { countryCode } from "./values.ts";

/**
 * All error codes. Each has one HTTP status, so a client can rely on either.
 * Only a missing, expired or revoked token answers 401: the web app signs out when it receives one.
 */
export const errorStatus = {
  validation_failed: 422,
  malformed_request: 400,
  bad_signature: 400,
  unauthenticated: 401,
  credentials_wrong: 422,
  email_taken: 422,
  link_expired: 422,
  code_wrong: 422,
  sign_in_expired: 422,
  passkey_refused: 422,
  google_failed: 422,
  google_link_needed: 409,
  last_sign_in_method: 409,
  caller_number_refused: 422,
  caller_number_taken: 409,
  caller_number_known: 409,
  caller_number_blocked: 403,
  caller_number_not_open: 403,
  caller_numbers_off: 403,
  too_many_caller_numbers: 409,
  call_code_wrong: 422,
  call_code_expired: 422,
  insufficient_credit: 402,
  no_credit: 402,
  forbidden: 403,
  reauth_required: 403,
  challenge_required: 403,
  account_frozen: 403,
  account_closing: 403,
  erasure_blocked: 409,
  sandbox_only: 403,
  destination_blocked: 403,
  destination_not_open: 403,
  email_not_confirmed: 403,
  fresh_credit: 403,
  first_call_too_short: 403,
  emergency_number: 403,
  country_not_allowed: 403,
  call_cap_too_low: 403,
  daily_cap_reached: 403,
  not_found: 404,
  conflict: 409,
  price_changed: 409,
  too_many_cases: 409,
  too_many_live_calls: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  number_invalid: 422,
  number_ambiguous: 422,
  country_required: 422,
  no_rate: 422,
  amount_invalid: 422,
  promo_refused: 422,
  rate_limited: 429,
  calls_paused: 429,
  payments_declined: 429,
  spend_limit_reached: 429,
  too_many_destinations: 429,
  top_up_limit_reached: 429,
  internal: 500,
  payment_provider_down: 503,
  voice_provider_down: 503,
  destination_paused: 503,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof errorStatus;

/** Why a session ended. `signed_out`: here or from another device. `other_browser`: its token was used in another browser. */
export const sessionEnd = z.enum([
  "expired",
  "signed_out",
  "password_changed",
  "account_closed",
  "other_browser",
  "too_many_devices",
]);
export type SessionEnd = z.infer<typeof sessionEnd>;

/** A number that a text may mean. `number` is in E.164: sent instead of the text, it settles the question. */
export const numberAlternative = z.object({ number: z.string(), country_code: countryCode, country_name: z.string() });
export type NumberAlternative = z.infer<typeof numberAlternative>;

/** The body of every error answer of the service. `errors` names the wrong fields of a form, with a text for each. */
export const errorBody = z.object({
  message: z.string(),
  code: z.string(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
  /** Only with `insufficient_credit`: the required amount, the available credit and the shortfall, in dollars. */
  credit: z.object({ required: z.string(), available: z.string(), missing: z.string() }).optional(),
  /** Only with `price_changed`: what the call costs now. */
  price: callPrice.optional(),
  /** Only with `challenge_required`: what to solve before the request is sent again. */
  challenge: robotChallenge.optional(),
  /** Only with `unauthenticated`, where the token was one of the service's in the last 30 days. */
  session_ended: sessionEnd.optional(),
  /** Only with `number_ambiguous`: the numbers that may be meant, the likelier first. */
  choices: z.array(numberAlternative).optional(),
  /** A short reason from an external service, shown after the message and a colon. */
  error: z.string().optional(),
  request_id: z.string().optional(),
});
export type ErrorBody = z.infer<typeof errorBody>;
