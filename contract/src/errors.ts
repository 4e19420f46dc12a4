import { z } from "zod";
import { callPrice } from "./rates.ts";
import { robotChallenge } from "./robot-check.ts";
import { countryCode } from "./values.ts";

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

/** A candidate for an ambiguous number. `number` is in E.164; resending the request with it resolves the ambiguity. */
const numberAlternative = z.object({ number: z.string(), country_code: countryCode, country_name: z.string() });
export type NumberAlternative = z.infer<typeof numberAlternative>;

/** A text of `texts/<language>/service.json` by key, with its placeholder values. */
export const messageRef = z.object({
  reason: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
});

/** A message to the user: in English, and by key for pages in other languages. */
export const renderedMessage = z.object({ message: z.string(), ...messageRef.shape });

/**
 * The body of every error answer of the service. `message` and `errors` are in English; a page in another language renders
 * `reason` and `reasons`.
 */
export const errorBody = z.object({
  message: z.string(),
  code: z.string(),
  ...messageRef.shape,
  /** The invalid fields of a form, with a text for each. */
  errors: z.record(z.string(), z.array(z.string())).optional(),
  reasons: z.record(z.string(), messageRef).optional(),
  /** Only with `insufficient_credit`: the required amount, the available credit and the shortfall, in dollars. */
  credit: z.object({ required: z.string(), available: z.string(), missing: z.string() }).optional(),
  /** Only with `price_changed`: the call's current price. */
  price: callPrice.optional(),
  /** Only with `challenge_required`: what to solve before the request is sent again. */
  challenge: robotChallenge.optional(),
  /** Only with `unauthenticated`, if the service issued the token in the last 30 days. */
  session_ended: sessionEnd.optional(),
  /** Only with `number_ambiguous`, and for a number of a former plan: the candidate numbers, most likely first. */
  choices: z.array(numberAlternative).optional(),
  /** An external service's short reason, shown after the message and a colon. */
  error: z.string().optional(),
  request_id: z.string().optional(),
});
export type ErrorBody = z.infer<typeof errorBody>;
