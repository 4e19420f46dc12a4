import { z } from "zod";
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
  currency: z.literal("USD"),
});
export type BalanceResponse = z.infer<typeof balanceResponse>;

export const transaction = z.object({
  id,
  /** `credit` adds to the balance; everything else takes from it. */
  type: z.enum(["credit", "debit"]),
  kind: z.enum(["top_up", "bonus", "test_credit", "call", "refund", "dispute", "adjustment"]),
  description: z.string(),
  /** Always positive; the sign follows from `type`. */
  amount: dollars,
  /** The balance after this entry. */
  balance_after: dollars,
  status: z.enum(["completed", "pending", "failed"]),
  /** The call or payment behind the entry. */
  reference_id: id.nullable(),
  created_at: instant,
});
export type Transaction = z.infer<typeof transaction>;

export const pageQuery = z.object({
  cursor: cursor.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(25),
});

/** Answer of `GET /api/billing/transactions`, newest first. */
export const transactionsResponse = z.object({
  transactions: z.object({
    data: z.array(transaction),
    next_cursor: cursor.nullable(),
    /** All entries of this account, for the count the billing page shows. */
    total: z.number().int(),
  }),
});
export type TransactionsResponse = z.infer<typeof transactionsResponse>;

/** `POST /api/billing/top-up`: dollars as a number or decimal string, at least 5, at most two decimals. */
export const topUpRequest = z.object({
  amount: z.union([z.number(), z.string().max(20)], { error: "Enter an amount." }),
});
/** `POST /api/billing/purchase-package`. */
export const purchasePackageRequest = z.object({ package_id: z.union([z.string().max(60), z.number().int()]) });
/** `POST /api/billing/test-credit`: sandbox mode only; any amount above 0 up to 100. */
export const testCreditRequest = z.object({ amount: z.union([z.number(), z.string().max(20)], { error: "Enter an amount." }) });

/** Answer of both top-up calls: go to `checkout_url`. */
export const checkoutResponse = z.object({
  payment_id: id,
  session_id: z.string(),
  checkout_url: z.string(),
});
export type CheckoutResponse = z.infer<typeof checkoutResponse>;

/** `POST /api/billing/confirm`: the success page asks for the truth about its session. Foreign sessions answer 404. */
export const confirmRequest = z.object({ session_id: z.string().min(1).max(255) });
export const confirmResponse = z.object({
  status: z.enum(["open", "paid", "failed", "expired"]),
  amount: dollars,
  balance: dollars,
  currency: z.literal("USD"),
});
export type ConfirmResponse = z.infer<typeof confirmResponse>;

export const testCreditResponse = z.object({ new_balance: dollars });

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
