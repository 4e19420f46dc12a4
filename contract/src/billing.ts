import { reason } from "@farline/texts/reason.ts";
import type { Endpoints } from "./api/endpoint.ts";
import { z } from "zod";
import { transactionGroups } from "./constants.ts";
import { promoCodeField } from "./promotions.ts";
import { robotProof } from "./robot-check.ts";
import { cursor, dollars, id, instant, shownDollars, typedDollars } from "./values.ts";

/** Answer of `GET /api/billing/balance`. The request also settles the customer's open payments. */
const balanceResponse = z.object({
  /** Paid and granted credit, holds included. */
  balance: dollars,
  /** Held for running calls. */
  held: dollars,
  /** `balance` minus `held`: what a new call may use. */
  available: dollars,
  /** Debt that remains after credit already spent was refunded or disputed. */
  debt: dollars,
  /** The bonus part of `balance`. Calls spend it first. */
  bonus: dollars,
  currency: z.literal("USD"),
  /** Set if the credit of the family's owner pays for calls: the owner's name, and what the next call may cost. */
  family: z.object({ owner_name: z.string(), left: dollars }).nullable(),
});
export type BalanceResponse = z.infer<typeof balanceResponse>;

/** Why a card payment added no credit. */
const paymentProblem = z.enum([
  "declined",
  "insufficient_funds",
  "card_expired",
  "card_details", // number, security code or address did not match
  "not_confirmed", // the bank could not authenticate the cardholder
  "card_unusable", // the provider no longer has the saved card
  "not_finished", // not paid in time
]);
export type PaymentProblem = z.infer<typeof paymentProblem>;

export const transaction = z.object({
  id,
  /** `credit` adds to the balance; everything else takes from it. */
  type: z.enum(["credit", "debit"]),
  kind: z.enum([
    "top_up",
    "bonus", // granted, or reversed with its payment
    "test_credit",
    "call",
    "call_refund", // a call's charge refunded
    "refund",
    "withdrawal", // unused credit sent back to the card by the customer
    "refund_failed", // a refund or withdrawal that did not reach the card
    "dispute",
    "dispute_won",
    "gift", // credit given to somebody else, received, or returned
    "write_off", // debt written off
    "adjustment",
  ]),
  description: z.string(),
  /** Always positive; the sign follows from `type`. */
  amount: dollars,
  /** The balance after this entry; null for a card payment that brought no credit, which is not an entry. */
  balance_after: dollars.nullable(),
  /** `completed` for every entry; otherwise a card payment without one: `cancelled` if the customer left the checkout. */
  status: z.enum(["completed", "pending", "failed", "cancelled"]),
  /** Details beyond `type`. */
  about: z
    .enum([
      "automatic", // a top-up by the automatic top-up
      "on_its_way", // a pending top-up: paid but not yet received, or a voucher to pay
      "promo_code", // a bonus, by `promo_code`
      "welcome", // a bonus for the invitee
      "invitation", // a bonus for the inviter
      "first_call", // a bonus for the first call
      "gift_returned", // credit given to somebody else that went back to its payer
    ])
    .nullable(),
  promo_code: z.string().nullable(),
  /** Why the card payment was not credited. */
  problem: paymentProblem.nullable(),
  /** Who of the family called on this account's credit; the name is null once the person has no account. Null for all other entries. */
  member: z.object({ name: z.string().nullable() }).nullable(),
  /** The contact whose number was called; null for all other entries. */
  contact_name: z.string().nullable(),
  /** The call or payment behind the entry; null for a member's call, which is not the account's to open. */
  reference_id: id.nullable(),
  /** The receipt of a card payment; issued within seconds of the credit. */
  receipt_id: id.nullable(),
  /** Where an unpaid card payment can still be paid, at the provider, until it ends there. */
  checkout_url: z.string().nullable(),
  /** Whether an unpaid card payment has ended and its customer may order the same for themselves. */
  can_pay_again: z.boolean(),
  created_at: instant,
});
export type Transaction = z.infer<typeof transaction>;

export const pageQuery = z.object({
  cursor: cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(25),
});

/** Filters of the transaction list. */
const transactionGroup = z.enum(transactionGroups);
export type TransactionGroup = z.infer<typeof transactionGroup>;

/** Query of `GET /api/billing/transactions`. */
const transactionsQuery = pageQuery.extend({ group: transactionGroup.default("all") });

/**
 * Answer of `GET /api/billing/transactions`, newest first: the account's entries. The groups `all` and `topups` also contain card
 * payments that were not credited; the group `unpaid` contains only those.
 */
export const transactionsResponse = z.object({
  transactions: z.object({
    data: z.array(transaction),
    next_cursor: cursor.nullable(),
    /** The number of entries in the group, or of payments in group `unpaid`. For `all`, it is the count on the billing page. */
    total: z.number().int(),
  }),
});
export type TransactionsResponse = z.infer<typeof transactionsResponse>;

/** US dollars only: an amount in another currency must not be charged as dollars. */
const onlyDollars = z.string().regex(/^usd$/i, reason("currency_unknown")).optional();

/** Card selection; with neither field, the card is used once and not saved. */
const cardFields = {
  /** The customer agrees to save this card. */
  keep_card: z.boolean().optional(),
  /** Pays with a saved card, without the provider's page. Requires an Idempotency-Key to prevent a double charge. */
  card_id: id.optional(),
};

/** `POST /api/billing/top-up`: dollars as a number or decimal string, at least 5, at most two decimals. */
const topUpRequest = z.object({
  amount: typedDollars,
  currency: onlyDollars,
  promo_code: promoCodeField,
  ...cardFields,
  /** After `challenge_required`, which is returned after declined cards. */
  proof: robotProof.optional(),
});
/** `POST /api/billing/purchase-package`. */
const purchasePackageRequest = z.object({
  package_id: z.union([z.string().max(60), z.number().int()]),
  promo_code: promoCodeField,
  ...cardFields,
  /** After `challenge_required`, which is returned after declined cards. */
  proof: robotProof.optional(),
});
/** `POST /api/billing/test-credit`: sandbox mode only; any amount above 0 up to 100. */
const testCreditRequest = z.object({ amount: typedDollars });

/** Answer of both top-up calls: redirect to `checkout_url`: with a saved card, the bank's authentication or the result page. */
export const checkoutResponse = z.object({
  payment_id: id,
  /** Null with a saved card. */
  session_id: z.string().nullable(),
  checkout_url: z.string(),
});
export type CheckoutResponse = z.infer<typeof checkoutResponse>;

/** `POST /api/billing/confirm`: the actual state of a session or payment. Another customer's returns 404. */
const confirmRequest = z.union([z.object({ session_id: z.string().min(1).max(255) }), z.object({ payment_id: id })], {
  error: reason("payment_needed"),
});
export type ConfirmRequest = z.infer<typeof confirmRequest>;
export const confirmResponse = z.object({
  /** `pending`: the payer has done their part and the money is on its way, or a voucher has to be paid. */
  status: z.enum(["open", "pending", "paid", "failed", "expired"]),
  /** The credit bought, bonus included. */
  amount: dollars,
  /** The price. */
  paid: dollars.optional(),
  balance: dollars,
  currency: z.literal("USD"),
  /** Set for a failed payment. */
  problem: paymentProblem.nullable(),
  /** The price in the payer's own currency, as a decimal, if the provider showed it; `currency` is ISO 4217. */
  presented: z.object({ amount: z.string().regex(/^\d+(?:\.\d{2,3})?$/), currency: z.string() }).nullable(),
  /** Receipt of a paid payment; null while it is being issued. */
  receipt_id: id.nullable(),
  /** True after the second payment made with little credit left, for a customer who never had automatic top-ups. */
  suggests_auto_top_up: z.boolean(),
  /** Set for credit bought for somebody else: their first name, and whether they got it. */
  gift: z.object({ name: z.string(), is_given: z.boolean() }).nullable(),
});
export type ConfirmResponse = z.infer<typeof confirmResponse>;

const testCreditResponse = z.object({ new_balance: dollars });

const creditPackage = z.object({
  id: z.string(),
  /** Whole dollars to pay. */
  amount: z.number(),
  /** Dollars of credit received, bonus included. */
  total_credits: z.number(),
  is_popular: z.boolean(),
  bonus_percentage: z.number(),
});
export type CreditPackage = z.infer<typeof creditPackage>;

/** Answer of `GET /api/billing/packages`. */
export const packagesResponse = z.object({ packages: z.array(creditPackage) });
export type PackagesResponse = z.infer<typeof packagesResponse>;

/** State of a withdrawal: debited, sent to the provider, received by the bank, or returned to the balance. */
const refundStatus = z.enum(["ordered", "pending", "succeeded", "failed"]);

/** Whom a refund on its way waits for. `service`: us. `customer`: the provider has mailed them and waits for their answer. */
const refundWait = z.enum(["bank", "service", "customer"]);
export type RefundWait = z.infer<typeof refundWait>;

/** The card that a part of a withdrawal goes to; null if the provider did not name it. */
const returnedCard = z.object({ brand: z.string(), last4: z.string().nullable() }).nullable();

/** Unused credit, returned to the cards it was bought with. */
const withdrawal = z.object({
  id,
  amount: dollars,
  created_at: instant,
  /** One for each top-up returned, partly or fully, newest top-up first. */
  parts: z.array(
    z.object({
      amount: dollars,
      status: refundStatus,
      /** Null once it has arrived or failed. */
      waits_for: refundWait.nullable(),
      card: returnedCard,
    }),
  ),
});
export type Withdrawal = z.infer<typeof withdrawal>;

/** Answer of `GET /api/billing/withdrawals`, newest first. */
export const withdrawalsResponse = z.object({
  /** The most that can be withdrawn now: paid credit that is unspent, not held for a call, and recent enough to refund to the card. */
  withdrawable: dollars,
  /** Spent bonus credit of these payments, deducted from the refund. */
  bonus_kept: dollars,
  /** Credit paid by voucher, which cannot be refunded to the voucher: the operator pays it out another way. */
  not_returnable: dollars,
  /** Minimum withdrawal; the full available amount is allowed even if lower. */
  min: dollars,
  withdrawals: z.object({ data: z.array(withdrawal), next_cursor: cursor.nullable() }),
});
export type WithdrawalsResponse = z.infer<typeof withdrawalsResponse>;

/**
 * Answer of `GET /api/billing/withdrawals/quote`: what a withdrawal of this amount would do now, changing nothing.
 * `balance` = `amount` + `bonus` + `spent_bonus` + `balance_after`.
 */
export const withdrawalQuote = z.object({
  amount: dollars,
  /** As in `withdrawal`. */
  parts: z.array(z.object({ amount: dollars, card: returnedCard })),
  balance: dollars,
  /** Bonus credit that came with this money and is removed. */
  bonus: dollars,
  /** Bought credit that is taken for such bonus credit already spent. */
  spent_bonus: dollars,
  balance_after: dollars,
});
export type WithdrawalQuote = z.infer<typeof withdrawalQuote>;

/** `POST /api/billing/withdrawals`: dollars as a number or decimal string, at most two decimals. Takes an Idempotency-Key. */
const withdrawalRequest = z.object({
  amount: typedDollars,
  currency: onlyDollars,
  /** `bonus` and `spent_bonus` of the quote together: a withdrawal that would take more is refused. Absent: whatever goes with it. */
  bonus_shown: shownDollars.optional(),
});
export const withdrawalResponse = z.object({ withdrawal, balance: dollars });
export type WithdrawalResponse = z.infer<typeof withdrawalResponse>;

export const checkoutRefusals = [
  "account_closing",
  "account_frozen",
  "challenge_required",
  "conflict",
  "not_found",
  "payment_provider_down",
  "payments_declined",
  "promo_refused",
  "top_up_limit_reached",
] as const;

export const billingEndpoints = {
  "GET /api/billing/balance": { access: "customer", answer: balanceResponse },
  "GET /api/billing/transactions": { access: "customer", query: transactionsQuery, answer: transactionsResponse },
  "GET /api/billing/packages": { access: "customer", answer: packagesResponse },
  "POST /api/billing/top-up": {
    access: "step-up-when",
    body: topUpRequest,
    answer: checkoutResponse,
    refusals: [...checkoutRefusals, "amount_invalid"],
  },
  "POST /api/billing/purchase-package": {
    access: "step-up-when",
    body: purchasePackageRequest,
    answer: checkoutResponse,
    refusals: [...checkoutRefusals],
  },
  "POST /api/billing/confirm": { access: "customer", body: confirmRequest, answer: confirmResponse, refusals: ["not_found"] },
  /** Ends a checkout that is not paid; one that was paid meanwhile is credited instead. */
  "POST /api/billing/payments/:id/end": { access: "customer", refusals: ["not_found", "payment_provider_down"] },
  "POST /api/billing/test-credit": {
    access: "customer",
    body: testCreditRequest,
    answer: testCreditResponse,
    refusals: ["amount_invalid", "sandbox_only"],
  },
  "GET /api/billing/withdrawals": { access: "customer", query: pageQuery, answer: withdrawalsResponse },
  "GET /api/billing/withdrawals/quote": {
    access: "customer",
    query: z.object({ amount: typedDollars }),
    answer: withdrawalQuote,
    refusals: ["account_frozen", "amount_invalid", "conflict", "insufficient_credit"],
  },
  "POST /api/billing/withdrawals": {
    access: "step-up",
    body: withdrawalRequest,
    answer: withdrawalResponse,
    refusals: ["account_frozen", "amount_invalid", "conflict", "insufficient_credit"],
  },
} as const satisfies Endpoints;
