import { z } from "zod";
import { transactionGroups } from "./constants.ts";
import { promoCodeField } from "./promotions.ts";
import { robotProof } from "./robot-check.ts";
import { cursor, dollars, id, instant } from "./values.ts";

/** Answer of `GET /api/billing/balance`. Asking also settles what is known of the caller's open payments. */
export const balanceResponse = z.object({
  /** Paid and granted credit, holds included. */
  balance: dollars,
  /** Set aside for calls that are running. */
  held: dollars,
  /** `balance` less `held`: what a new call may use. */
  available: dollars,
  /** Owed after a refund or dispute of credit that was spent already. */
  debt: dollars,
  /** The part of `balance` that was granted, not bought. Calls use it up first. */
  bonus: dollars,
  currency: z.literal("USD"),
});
export type BalanceResponse = z.infer<typeof balanceResponse>;

/** Why a card payment brought no credit. */
export const paymentProblem = z.enum([
  "declined",
  "insufficient_funds",
  "card_expired",
  "card_details", // number, code or address did not fit
  "not_confirmed", // the bank could not confirm that it was the card's owner
  "card_unusable", // the kept card is gone at the provider
  "not_finished", // nobody paid in time
]);
export type PaymentProblem = z.infer<typeof paymentProblem>;

export const transaction = z.object({
  id,
  /** `credit` adds to the balance; everything else takes from it. */
  type: z.enum(["credit", "debit"]),
  kind: z.enum([
    "top_up",
    "bonus", // granted, or taken back with the payment it came with
    "test_credit",
    "call",
    "call_refund", // a call's charge given back
    "refund",
    "withdrawal", // unused credit sent back to the card by the customer
    "refund_failed", // a refund or withdrawal that did not reach the card
    "dispute",
    "dispute_won",
    "write_off", // debt that was given up
    "adjustment",
  ]),
  description: z.string(),
  /** Always positive; the sign follows from `type`. */
  amount: dollars,
  /** The balance after this entry; null for a card payment that is not credit, or not yet: it is no entry. */
  balance_after: dollars.nullable(),
  /** `completed` for every entry; `pending` or `failed` for a card payment that is none. */
  status: z.enum(["completed", "pending", "failed"]),
  /** What the kind does not say. */
  about: z
    .enum([
      "automatic", // a top-up by the automatic top-up
      "promo_code", // a bonus, by `promo_code`
      "welcome", // a bonus for someone who was invited
      "invitation", // a bonus for who invited
      "first_call", // a bonus for the first call
    ])
    .nullable(),
  promo_code: z.string().nullable(),
  /** Why the card payment is not credit. */
  problem: paymentProblem.nullable(),
  /** The call or payment behind the entry. */
  reference_id: id.nullable(),
  /** Of a card payment, once it is issued: at most seconds after the credit. */
  receipt_id: id.nullable(),
  created_at: instant,
});
export type Transaction = z.infer<typeof transaction>;

export const pageQuery = z.object({
  cursor: cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(25),
});

/** What entries a person looks for together. */
export const transactionGroup = z.enum(transactionGroups);
export type TransactionGroup = z.infer<typeof transactionGroup>;

/** Query of `GET /api/billing/transactions`. */
export const transactionsQuery = pageQuery.extend({ group: transactionGroup.default("all") });

/**
 * Answer of `GET /api/billing/transactions`, newest first: the account's entries, and among all and the top-ups the card
 * payments that are not credit, which group `unpaid` shows alone.
 */
export const transactionsResponse = z.object({
  transactions: z.object({
    data: z.array(transaction),
    next_cursor: cursor.nullable(),
    /** All entries of this account that are of the group; of group all, the count the billing page shows. Of `unpaid`, its payments. */
    total: z.number().int(),
  }),
});
export type TransactionsResponse = z.infer<typeof transactionsResponse>;

/** Amounts are US dollars; who means another currency must not be charged the same figure in dollars. */
const onlyDollars = z.string().regex(/^usd$/i, "Amounts are in US dollars.").optional();

/** How the card is chosen; without both, a card that is used this once. */
const cardFields = {
  /** The customer agrees that the card they pay with is kept for next time. */
  keep_card: z.boolean().optional(),
  /** Pays with a kept card, without the provider's page. Needs an Idempotency-Key: nothing else stops a second charge. */
  card_id: id.optional(),
};

/** `POST /api/billing/top-up`: dollars as a number or decimal string, at least 5, at most two decimals. */
export const topUpRequest = z.object({
  amount: z.union([z.number(), z.string().max(20)], { error: "Enter an amount." }),
  currency: onlyDollars,
  promo_code: promoCodeField,
  ...cardFields,
  /** After `challenge_required`, which follows on declined cards. */
  proof: robotProof.optional(),
});
/** `POST /api/billing/purchase-package`. */
export const purchasePackageRequest = z.object({
  package_id: z.union([z.string().max(60), z.number().int()]),
  promo_code: promoCodeField,
  ...cardFields,
  /** After `challenge_required`, which follows on declined cards. */
  proof: robotProof.optional(),
});
/** `POST /api/billing/test-credit`: sandbox mode only; any amount above 0 up to 100. */
export const testCreditRequest = z.object({ amount: z.union([z.number(), z.string().max(20)], { error: "Enter an amount." }) });

/** Answer of both top-up calls: go to `checkout_url`. With a kept card that is its bank's question, or the page of the outcome. */
export const checkoutResponse = z.object({
  payment_id: id,
  /** Null with a kept card. */
  session_id: z.string().nullable(),
  checkout_url: z.string(),
});
export type CheckoutResponse = z.infer<typeof checkoutResponse>;

/** `POST /api/billing/confirm`: the success page asks for the truth about its session, or payment. Foreign ones answer 404. */
export const confirmRequest = z.union([z.object({ session_id: z.string().min(1).max(255) }), z.object({ payment_id: id })], {
  error: "Say which payment.",
});
export type ConfirmRequest = z.infer<typeof confirmRequest>;
export const confirmResponse = z.object({
  status: z.enum(["open", "paid", "failed", "expired"]),
  amount: dollars,
  balance: dollars,
  currency: z.literal("USD"),
  /** Of a payment that came to nothing. */
  problem: paymentProblem.nullable(),
  /** Of a paid payment; null while it is being issued. */
  receipt_id: id.nullable(),
});
export type ConfirmResponse = z.infer<typeof confirmResponse>;

export const testCreditResponse = z.object({ new_balance: dollars });
export type TestCreditResponse = z.infer<typeof testCreditResponse>;

export const creditPackage = z.object({
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

/** How far money on its way back to a card is: taken from the balance, with the card provider, at the bank, or given back. */
export const refundStatus = z.enum(["ordered", "pending", "succeeded", "failed"]);

/** Unused credit that goes back to the cards it was bought with. */
export const withdrawal = z.object({
  id,
  amount: dollars,
  created_at: instant,
  /** One for each top-up that is given back in part or whole, the newest top-up first. */
  parts: z.array(
    z.object({
      amount: dollars,
      status: refundStatus,
      /** Null when the provider did not name the card. */
      card: z.object({ brand: z.string(), last4: z.string() }).nullable(),
    }),
  ),
});
export type Withdrawal = z.infer<typeof withdrawal>;

/** Answer of `GET /api/billing/withdrawals`, newest first. */
export const withdrawalsResponse = z.object({
  /** The most that can be withdrawn now: bought, not spent, not held for a call, and not older than cards allow. */
  withdrawable: dollars,
  /** Bonus that came with these payments and is used up: so much of the bought credit is kept when they go back. */
  bonus_kept: dollars,
  /** The least at a time; all of it may be withdrawn even when that is less. */
  least: dollars,
  withdrawals: z.object({ data: z.array(withdrawal), next_cursor: cursor.nullable() }),
});
export type WithdrawalsResponse = z.infer<typeof withdrawalsResponse>;

/** `POST /api/billing/withdrawals`: dollars as a number or decimal string, at most two decimals. Takes an Idempotency-Key. */
export const withdrawalRequest = z.object({
  amount: z.union([z.number(), z.string().max(20)], { error: "Enter an amount." }),
  currency: onlyDollars,
});
export const withdrawalResponse = z.object({ withdrawal, balance: dollars });
export type WithdrawalResponse = z.infer<typeof withdrawalResponse>;
