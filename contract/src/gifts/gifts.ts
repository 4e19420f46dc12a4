import { reason } from "@farline/texts/reason.ts";
import { z } from "zod";
import type { Endpoints } from "../api/endpoint.ts";
import { checkoutRefusals, checkoutResponse, confirmResponse } from "../billing.ts";
import { robotProof } from "../robot-check.ts";
import { emailField, nameField } from "../accounts.ts";
import { language } from "../languages.ts";
import { countryCode, dollars, id, instant, ratePerMinute, typedDollars } from "../values.ts";

/** A link by which a customer asks others for credit. */
const creditRequest = z.object({
  ...{ id, url: z.url(), created_at: instant, expires_at: instant },
  amount: dollars.nullable(),
  note: z.string(),
  country: countryCode.nullable(),
});
export type CreditRequestResponse = z.infer<typeof creditRequest>;

/** One line without links that one customer writes and another reads; "" for none. */
const passedOn = z.string().max(1_000, reason("gift_greeting")).default("");

/**
 * `POST /api/credit-requests`: what the link says besides its maker's first name. The country is that of the minutes it shows. The link
 * that it replaces ends with it; repeating the request makes no second.
 */
const newCreditRequest = z.object({
  amount: typedDollars.nullable().default(null),
  note: passedOn,
  country: countryCode.nullable().default(null),
  replaces: id.nullable().default(null),
});

const openCreditRequestRequest = z.object({ token: z.string().max(200) });

/** `POST /api/credit-requests/open`: what anyone with the link may see. */
const openedCreditRequest = z.object({
  /** First name. */
  name: z.string(),
  amount: dollars.nullable(),
  note: z.string(),
  /** Where they call, with the usual price of a call there; null for nowhere in particular. */
  calls: z.object({ country: countryCode, country_name: z.string(), rate: ratePerMinute }).nullable(),
  /** The most that can be paid without an account. */
  guest_most: dollars,
});
export type OpenedCreditRequest = z.infer<typeof openedCreditRequest>;

/** `POST /api/credit-requests/pay`: as a guest. The address gets the receipt. */
const guestGiftRequest = z.object({
  ...{ token: z.string().max(200), amount: typedDollars, greeting: passedOn },
  ...{ name: nameField, email: emailField, language: language.optional() },
  proof: robotProof.optional(),
});

/** `POST /api/credit-requests/outcome`: of a guest's payment, for whom the provider's session identifies it. */
const guestOutcome = z.object({
  status: confirmResponse.shape.status,
  /** First name of the person who asked. */
  name: z.string(),
  amount: dollars,
  /** `held`: it is given at `due_at`. `kept`: it could not be given. Null before the payment arrived. */
  credit: z.enum(["given", "held", "kept"]).nullable(),
  due_at: instant.nullable(),
  /** Of credit that was `kept`; what the payer owes for earlier payments takes the rest. */
  goes_back: dollars.nullable(),
});
export type GuestOutcome = z.infer<typeof guestOutcome>;

/** `POST /api/billing/gifts`: dollars as for a top-up. */
const giftRequest = z.object({
  token: z.string().max(200),
  amount: typedDollars,
  greeting: passedOn,
  proof: robotProof.optional(),
});

/** Credit bought by one customer for another. */
const gift = z.object({
  id,
  direction: z.enum(["sent", "received"]),
  /** First name of the other person. */
  name: z.string(),
  amount: dollars,
  greeting: z.string(),
  /**
   * `ordered`: not paid yet. `held`: paid, and given at `due_at`. `kept`: paid, but the credit stayed with the payer, or went back to the
   * card of somebody without an account.
   */
  state: z.enum(["ordered", "held", "given", "kept"]),
  /** What a refund or a bank took back of it. */
  returned: dollars,
  /** All of it goes back to the card of somebody without an account, who owes nothing. */
  goes_back: z.boolean(),
  created_at: instant,
  due_at: instant.nullable(),
});
export type Gift = z.infer<typeof gift>;

export const giftEndpoints = {
  "GET /api/credit-requests": { access: "customer", answer: z.object({ requests: z.array(creditRequest) }) },
  "POST /api/credit-requests": {
    access: "customer",
    body: newCreditRequest,
    answer: creditRequest,
    refusals: ["conflict", "amount_invalid", "not_found"],
  },
  "DELETE /api/credit-requests/:id": { access: "customer", refusals: ["not_found"] },
  "POST /api/credit-requests/open": {
    access: "visitor",
    body: openCreditRequestRequest,
    answer: openedCreditRequest,
    refusals: ["link_expired"],
  },
  "POST /api/credit-requests/pay": {
    access: "visitor",
    body: guestGiftRequest,
    answer: z.object({ checkout_url: z.string() }),
    refusals: [...checkoutRefusals, "link_expired", "amount_invalid"],
  },
  "POST /api/credit-requests/outcome": {
    access: "visitor",
    body: z.object({ session_id: z.string().min(1).max(255) }),
    answer: guestOutcome,
    refusals: ["not_found"],
  },
  "GET /api/billing/gifts": { access: "customer", answer: z.object({ gifts: z.array(gift) }) },
  "POST /api/billing/gifts": {
    access: "customer",
    body: giftRequest,
    answer: checkoutResponse,
    refusals: [...checkoutRefusals, "link_expired", "amount_invalid"],
  },
} as const satisfies Endpoints;
