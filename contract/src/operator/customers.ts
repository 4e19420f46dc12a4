import { z } from "zod";
import { lockReasons } from "../constants.ts";
import { cursor, dollars, instant } from "../values.ts";

/** What an operator can do about an entry of the story, or about the customer. */
const operatorAction = z.enum([
  "refund",
  "decide_refund_request",
  "hang_up",
  "answer",
  "close",
  "resend",
  "end_sessions",
  "confirm_address",
  "freeze",
  "unfreeze",
  "adjust",
  "write_off",
]);
export type OperatorAction = z.infer<typeof operatorAction>;

const storyType = z.enum([
  "call",
  "payment",
  "declined_card",
  "refund",
  "withdrawal",
  "dispute",
  "fraud_warning",
  "credit",
  "refund_request",
  "call_block",
  "mail",
  "account",
  "case",
  "operation",
]);
export type StoryType = z.infer<typeof storyType>;

const storyEntry = z.object({
  type: storyType,
  /** Of the call, payment, question …, for the commands. */
  id: z.string(),
  at: instant,
  amount: dollars.nullable(),
  state: z.string().nullable(),
  text: z.string(),
  can: z.array(operatorAction),
});
export type StoryEntry = z.infer<typeof storyEntry>;

/** `GET /api/operator/customers/:id/story`: everything that happened to a customer, newest first. */
export const storyResponse = z.object({ entries: z.array(storyEntry), next_cursor: cursor.nullable() });
export type StoryResponse = z.infer<typeof storyResponse>;

/** `GET /api/operator/customers/:id`. */
export const operatorCustomerResponse = z.object({
  customer: z.object({
    id: z.uuid(),
    name: z.string(),
    email: z.string(),
    email_verified: z.boolean(),
    email_refused: z.boolean(),
    language: z.string(),
    status: z.enum(["active", "frozen", "closing"]),
    frozen_because: z.enum(lockReasons).nullable(),
    closes_at: instant.nullable(),
    created_at: instant,
  }),
  money: z.object({ balance: dollars, held: dollars, available: dollars, debt: dollars, bonus: dollars, withdrawable: dollars }),
  tier: z.object({
    name: z.enum(["unverified", "new", "known", "trusted"]),
    /** The facts that decide it. */
    because: z.object({
      account_days: z.number().int(),
      email_verified: z.boolean(),
      ever_disputed: z.boolean(),
      paid_payments: z.number().int(),
      authenticated_payments: z.number().int(),
      long_settled: dollars,
    }),
  }),
  /** Of the tier; null while limits are off. */
  limits: z
    .object({
      live_calls: z.number().int(),
      calls_per_day: z.number().int(),
      numbers_per_day: z.number().int(),
      spend_per_day: dollars,
      spend_above_class_a: dollars,
      spend_above_class_b: dollars,
    })
    .nullable(),
  /** The customer's own. */
  own_limits: z
    .object({ daily_cap: dollars.nullable(), call_cap: dollars.nullable(), countries: z.array(z.string()).nullable() })
    .nullable(),
  blocked: z.object({ rule: z.string(), until: instant }).nullable(),
  counts: z.object({
    sessions: z.number().int(),
    contacts: z.number().int(),
    live_calls: z.number().int(),
    open_cases: z.number().int(),
    open_disputes: z.number().int(),
    saved_cards: z.number().int(),
  }),
  caller_numbers: z.array(z.string()),
  can: z.array(operatorAction),
});
export type OperatorCustomerResponse = z.infer<typeof operatorCustomerResponse>;
