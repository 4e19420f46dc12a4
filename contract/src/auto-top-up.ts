import { reason } from "@farline/texts/reason.ts";
import type { Endpoints } from "./api/endpoint.ts";
import { z } from "zod";
import { dollars, id, instant, typedDollars } from "./values.ts";

/** A card that the payment provider keeps for the customer. */
const savedCard = z.object({
  id,
  /** For example "visa". */
  brand: z.string(),
  last4: z.string(),
  exp_month: z.number().int(),
  exp_year: z.number().int(),
  /** The card has expired. */
  expired: z.boolean(),
});
export type SavedCard = z.infer<typeof savedCard>;

/** Why an enabled automatic top-up is blocked until the customer acts. */
const autoTopUpStop = z.enum(["declined", "authentication_required"]);
export type AutoTopUpStop = z.infer<typeof autoTopUpStop>;

/** Why an enabled automatic top-up is temporarily paused. */
const autoTopUpWait = z.enum([
  "account_new", // the account is too young
  "no_confirmed_payment", // no payment authenticated by the cardholder's bank yet
  "password_reset", // the password was reset recently
  "debt", // credit is owed
  "frozen",
  "withdrawn", // the customer withdrew credit and has not called since
  "cool_down", // the last charge was too recent
  "day_limit", // the daily number or amount of charges is reached
  "top_up_limit", // the limits for all top-ups
]);
export type AutoTopUpWait = z.infer<typeof autoTopUpWait>;

const autoTopUpState = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("off") }),
  /** Monitors the balance. */
  z.object({ kind: z.literal("ready") }),
  /** The card is being charged. */
  z.object({ kind: z.literal("charging") }),
  z.object({ kind: z.literal("waiting"), reason: autoTopUpWait, until: instant.nullable() }),
  z.object({ kind: z.literal("stopped"), reason: autoTopUpStop }),
]);
export type AutoTopUpState = z.infer<typeof autoTopUpState>;

/** Answer of `GET` and `PUT /api/billing/auto-top-up` and `DELETE /api/billing/cards/{id}`. The request also looks for cards that were just saved. */
const autoTopUpResponse = z.object({
  cards: z.array(savedCard),
  /** The last saved settings, or the defaults. */
  settings: z.object({ on: z.boolean(), card_id: id.nullable(), threshold: dollars, amount: dollars }),
  state: autoTopUpState,
  /** Before this time nothing is charged, because the account is new; null for an older account. */
  starts_at: instant.nullable().optional(),
  bounds: z.object({
    threshold: z.object({ min: dollars, max: dollars }),
    amount: z.object({ min: dollars, max: dollars }),
    /** Maximum number of saved cards. */
    cards: z.number().int(),
    /** Daily limits. */
    charges_a_day: z.number().int(),
    dollars_a_day: dollars,
  }),
  /** The newest charge; null before the first. */
  last: z
    .object({ amount: dollars, at: instant, status: z.enum(["charging", "paid", "failed"]), reason: autoTopUpStop.nullable() })
    .nullable(),
});
export type AutoTopUpResponse = z.infer<typeof autoTopUpResponse>;

/** `PUT /api/billing/auto-top-up`. Enabling it requires a sign-in within the last ten minutes. */
const autoTopUpRequest = z.discriminatedUnion("on", [
  z.object({ on: z.literal(false) }),
  z.object({
    on: z.literal(true),
    card_id: id,
    /** Dollars as a number or decimal string, at most two decimals. */
    threshold: typedDollars,
    /** As `threshold`, and not below it. */
    amount: typedDollars,
    /** The customer agrees to charges in their absence. */
    agreed: z.literal(true, { error: reason("agreement_needed") }),
  }),
]);
export type AutoTopUpRequest = z.input<typeof autoTopUpRequest>;
/** The parsed request. */
export type AutoTopUpOrder = z.output<typeof autoTopUpRequest>;

/** Answer of `POST /api/billing/cards`: the provider's page, which saves a card. It leads back to /billing. */
const saveCardResponse = z.object({ checkout_url: z.string() });

export const autoTopUpEndpoints = {
  "GET /api/billing/auto-top-up": { access: "customer", answer: autoTopUpResponse },
  "PUT /api/billing/auto-top-up": {
    access: "step-up-when",
    body: autoTopUpRequest,
    answer: autoTopUpResponse,
    refusals: ["account_closing", "account_frozen", "amount_invalid", "conflict", "not_found"],
  },
  "POST /api/billing/cards": {
    access: "step-up",
    answer: saveCardResponse,
    refusals: ["account_closing", "account_frozen", "conflict", "payment_provider_down"],
  },
  "DELETE /api/billing/cards/:id": { access: "customer", answer: autoTopUpResponse, refusals: ["not_found"] },
} as const satisfies Endpoints;
