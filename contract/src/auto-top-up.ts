import { z } from "zod";
import { dollars, id, instant } from "./values.ts";

/** A card that the payment provider keeps for the customer. */
export const savedCard = z.object({
  id,
  /** For example "visa". */
  brand: z.string(),
  last4: z.string(),
  exp_month: z.number().int(),
  exp_year: z.number().int(),
  /** It is past its date. */
  expired: z.boolean(),
});
export type SavedCard = z.infer<typeof savedCard>;

/** Why an automatic top-up that is on does nothing until the customer does something. */
export const autoTopUpStop = z.enum(["declined", "authentication_required"]);
export type AutoTopUpStop = z.infer<typeof autoTopUpStop>;

/** Why an automatic top-up that is on does nothing for now. */
export const autoTopUpWait = z.enum([
  "account_new", // the account is too young
  "no_confirmed_payment", // no payment that the bank had confirmed by its owner yet
  "password_reset", // the password was reset a short while ago
  "debt", // credit is owed
  "frozen",
  "cool_down", // the last charge was a moment ago
  "day_limit", // as many charges, or as much money, as a day may see
  "top_up_limit", // the limits for all top-ups
]);
export type AutoTopUpWait = z.infer<typeof autoTopUpWait>;

export const autoTopUpState = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("off") }),
  /** Watches the credit. */
  z.object({ kind: z.literal("ready") }),
  /** The card is being charged. */
  z.object({ kind: z.literal("charging") }),
  z.object({ kind: z.literal("waiting"), reason: autoTopUpWait, until: instant.nullable() }),
  z.object({ kind: z.literal("stopped"), reason: autoTopUpStop }),
]);
export type AutoTopUpState = z.infer<typeof autoTopUpState>;

/** Answer of `GET` and `PUT /api/billing/auto-top-up` and `DELETE /api/billing/cards/{id}`. Asking also looks at cards that are just being saved. */
export const autoTopUpResponse = z.object({
  cards: z.array(savedCard),
  /** As chosen last; the defaults before. */
  settings: z.object({ on: z.boolean(), card_id: id.nullable(), threshold: dollars, amount: dollars }),
  state: autoTopUpState,
  bounds: z.object({
    threshold: z.object({ least: dollars, most: dollars }),
    amount: z.object({ least: dollars, most: dollars }),
    /** The most cards that are kept. */
    cards: z.number().int(),
    /** What a day may see at most. */
    charges_a_day: z.number().int(),
    dollars_a_day: dollars,
  }),
  /** The newest charge; null before the first. */
  last: z
    .object({ amount: dollars, at: instant, status: z.enum(["charging", "paid", "failed"]), reason: autoTopUpStop.nullable() })
    .nullable(),
});
export type AutoTopUpResponse = z.infer<typeof autoTopUpResponse>;

const amount = (missing: string) => z.union([z.number(), z.string().max(20)], { error: missing });

/** `PUT /api/billing/auto-top-up`. To switch it on needs a sign-in of the last ten minutes. */
export const autoTopUpRequest = z.discriminatedUnion("on", [
  z.object({ on: z.literal(false) }),
  z.object({
    on: z.literal(true),
    card_id: id,
    /** Dollars as a number or decimal string, at most two decimals. */
    threshold: amount("Enter an amount."),
    /** As `threshold`, and no less. */
    amount: amount("Enter an amount."),
    /** The customer agrees that the card is charged without them. */
    agreed: z.literal(true, { error: "Please agree that your card may be charged." }),
  }),
]);
export type AutoTopUpRequest = z.infer<typeof autoTopUpRequest>;

/** Answer of `POST /api/billing/cards`: the provider's page, which saves a card. It leads back to /billing. */
export const saveCardResponse = z.object({ checkout_url: z.string() });
export type SaveCardResponse = z.infer<typeof saveCardResponse>;
