import { z } from "zod";
import type { Endpoints } from "../api/endpoint.ts";
import { statementMonth } from "../billing-documents.ts";
import { dollars, instant } from "../values.ts";
import { type BookLine, bookLineNames, faultNames } from "./constants.ts";

/** Amounts of customers' credit. */
const credit = z.object({
  /** Balances less debts. */
  total: dollars,
  /** The part that customers paid for. */
  bought: dollars,
  bonus: dollars,
});

/** Customers' credit at one end of a month. */
const bookEnd = credit.extend({
  /** What accounts below zero owe; subtracted from the total. */
  owed: dollars,
});

const bookMovement = credit.extend({ line: z.enum(Object.keys(bookLineNames) as [BookLine, ...BookLine[]]), count: z.int() });
export type BookMovement = z.infer<typeof bookMovement>;

/** A check that failed, as a sentence. */
const fault = z.object({
  check: z.enum(Object.keys(faultNames) as [keyof typeof faultNames, ...(keyof typeof faultNames)[]]),
  text: z.string(),
});
export type BookFault = z.infer<typeof fault>;

/** The books of a month, from the ledger: opening + movements = closing. */
const books = z.object({
  month: statementMonth,
  from: instant,
  /** Exclusive. For a running month: when it was read. */
  to: instant,
  /** Whether the month is over and every booking of it is in. */
  complete: z.boolean(),
  opening: bookEnd,
  closing: bookEnd,
  /** Those that occurred. */
  movements: z.array(bookMovement),
  /** Days with movements. */
  days: z.array(z.object({ day: z.iso.date(), top_ups: dollars, charges: dollars })),
  /** The tax included in receipts, by percentage. */
  taxes: z.array(z.object({ percent: z.string(), paid: dollars, refunded: dollars, tax: dollars })),
  /** Receipts that state a tax and came after their payments' month was closed: into these books, or from this month into later ones. */
  late_receipts: z.array(z.object({ paid_month: statementMonth, books_month: statementMonth, count: z.int(), tax: dollars })),
  faults: z.array(fault),
});
export type MonthBooks = z.infer<typeof books>;

/** In the currency beside it, with its own decimals: "3000" yen, "1.234" dinars. */
const amountIn = z.string().regex(/^-?\d{1,15}(\.\d{2,6})?$/);
const currency = z.string().regex(/^[A-Z]{3}$/);

/** Movements of the provider's balance of one kind, in a currency that the account settles in. */
const providerLine = z.object({
  /** The provider's reporting category; `other_business` for what other shops in the same account do. */
  category: z.string(),
  currency,
  count: z.int(),
  amount: amountIn,
  fee: amountIn,
  net: amountIn,
  /** In dollars, what payers paid or got back; null for dollars and for what moved no payment of ours. */
  paid: dollars.nullable(),
  /** How much of the currency a dollar became, on average; null where nothing was converted. */
  rate: z.string().nullable(),
  /** False for a category that this version does not know: a person must look it up. */
  known: z.boolean(),
});
export type ProviderLine = z.infer<typeof providerLine>;

const providerDifference = z.object({
  payment_id: z.uuid().nullable(),
  /** At the provider. */
  reference: z.string().nullable(),
  /** Of `provider`; the ledger is in dollars. */
  currency,
  provider: amountIn,
  ledger: dollars,
  /** Booked on the two sides of a month's end: no fault. */
  timing: z.boolean(),
  text: z.string(),
});
export type ProviderDifference = z.infer<typeof providerDifference>;

/** The provider's balance report of a month beside the ledger. */
const providerMonth = z.object({
  month: statementMonth,
  lines: z.array(providerLine),
  /** Received less refunds and disputes, in the dollars that payers paid. */
  provider_net: dollars,
  ledger_net: dollars,
  differences: z.array(providerDifference),
});
export type ProviderMonth = z.infer<typeof providerMonth>;

export const monthClosing = z.object({ at: instant, operator: z.string(), reason: z.string(), books, provider: providerMonth });
export type MonthClosing = z.infer<typeof monthClosing>;

/** `GET /api/operator/months/{month}`. */
const monthResponse = z.object({
  books,
  /** The month of the first posting; the present one before any. */
  first_month: z.string(),
  /** As it was closed; null before. */
  closing: monthClosing.nullable(),
});
export type MonthResponse = z.infer<typeof monthResponse>;

const RIGHT = { access: "operator", right: "read-costs" } as const;

export const operatorMonthEndpoints = {
  "GET /api/operator/months/:month": { ...RIGHT, answer: monthResponse, refusals: ["not_found"] },
  /** As the month was closed; before, reads every movement of the provider's balance, so it takes longer. */
  "GET /api/operator/months/:month/provider": {
    ...RIGHT,
    answer: providerMonth,
    refusals: ["not_found", "payment_provider_down"],
  },
  "POST /api/operator/months/:month/file": {
    access: "operator",
    right: "export",
    answer: z.object({ file_name: z.string(), text: z.string() }),
    refusals: ["not_found", "payment_provider_down"],
  },
} as const satisfies Endpoints;
