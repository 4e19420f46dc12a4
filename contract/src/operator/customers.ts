import { termNames } from "@farline/domain/business/customer-terms.ts";
import { riskTiers } from "@farline/domain/calls/risk-tier.ts";
import { z } from "zod";
import { freezeReasons } from "../constants.ts";
import type { Endpoints } from "../api/endpoint.ts";
import { cursor, dollars, id, instant, typedDollars } from "../values.ts";
import { ownLimits } from "../calls.ts";
import { timelineTypes } from "./constants.ts";
import { operationNames } from "./operations.ts";

const operationName = z.enum(operationNames);
const timelineType = z.enum(timelineTypes);

const text = z.string();

/** What the words of an entry are made of: each type has those that it needs (`timeline-words.ts`). */
const timelineFacts = z
  .object({
    /** The called number, or the question's. */
    number: text,
    country: text,
    number_type: text,
    end_reason: text,
    billed_seconds: z.number(),
    duration_ms: z.number(),
    paid_by: text,
    made_by: text,
    /** For whom a payment bought credit, how far that is, and whether its payer has no account. */
    paid_for: text,
    gift: text,
    guest: text,
    /** As in "visa 4242". */
    method: text,
    failure: text,
    waits_for: text,
    device: text,
    operator: text,
    /** What somebody wrote: the customer's question, the operator's reason. */
    text,
    /** Until when calls are paused. */
    until: instant,
    /** The payment or call that it is about. */
    payment: text,
    call: text,
  })
  .partial();

const timelineEntry = z.object({
  type: timelineType,
  /** Of the call, payment, question …, for the commands. */
  id: z.string(),
  at: instant,
  /** What was charged or paid; of other credit what was added, signed. */
  amount: dollars.nullable(),
  /** The customer's balance after it; null for what moved none. */
  balance_after: dollars.nullable(),
  state: z.string().nullable(),
  /** Which template, event, reason or action, by its code. */
  kind: z.string().nullable(),
  facts: timelineFacts,
  can: z.array(operationName),
});
export type TimelineEntry = z.infer<typeof timelineEntry>;

/** `GET /api/operator/customers/:id/timeline`: everything that happened to a customer, newest first. */
export const timelineResponse = z.object({ entries: z.array(timelineEntry), next_cursor: cursor.nullable() });
export type TimelineResponse = z.infer<typeof timelineResponse>;

const customerStatus = z.enum(["active", "frozen", "closing"]);
export type CustomerStatus = z.infer<typeof customerStatus>;

/** `GET /api/operator/customers/:id`. */
export const operatorCustomerResponse = z.object({
  customer: z.object({
    id: z.uuid(),
    name: z.string(),
    email: z.string(),
    email_verified: z.boolean(),
    email_refused: z.boolean(),
    language: z.string(),
    status: customerStatus,
    frozen_because: z.enum(freezeReasons).nullable(),
    closes_at: instant.nullable(),
    created_at: instant,
  }),
  money: z.object({
    balance: dollars,
    held: dollars,
    available: dollars,
    debt: dollars,
    bonus: dollars,
    withdrawable: dollars,
    /** Amount that the requesting operator may still move for this customer alone. */
    alone: dollars,
    /** All that was ever paid, refunds included. */
    paid: dollars,
  }),
  tier: z.object({
    name: z.enum(riskTiers),
    /** What the facts give; differs while an operator has set another one. */
    earned: z.enum(riskTiers),
    /** False while limits are off. */
    limits_apply: z.boolean(),
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
  /** The tier and the limits in force, as operators read and type them. */
  terms: z.array(
    z.object({
      name: z.enum(termNames),
      value: z.string(),
      /** Of those that an operator has set in place of what the customer has earned. */
      set: z.object({ until: instant, by: z.string(), reason: z.string() }).nullable(),
    }),
  ),
  /** The customer's own. */
  own_limits: z.object(ownLimits).nullable(),
  blocked: z.object({ rule: z.string(), until: instant }).nullable(),
  counts: z.object({
    sessions: z.number().int(),
    contacts: z.number().int(),
    live_calls: z.number().int(),
    open_cases: z.number().int(),
    open_refund_requests: z.number().int(),
    open_disputes: z.number().int(),
    saved_cards: z.number().int(),
  }),
  caller_numbers: z.array(z.string()),
  /** The people of the customer's family, its owner first; empty without one. */
  family: z.array(z.object({ id, email: z.string(), is_owner: z.boolean() })),
  can: z.array(operationName),
});
export type OperatorCustomerResponse = z.infer<typeof operatorCustomerResponse>;

/** What a refund of a payment would do. */
const refundPreviewResponse = z.object({
  payment: z.object({ id, customer_id: z.uuid(), amount: dollars, method: z.string() }),
  amount: dollars,
  /** Of the payment, not yet returned. */
  left: dollars,
  /** Free paid credit, less what is withheld for spent bonus. */
  unspent: dollars,
  /** Withheld for spent bonus. */
  kept: dollars,
  /** The part of the amount that is spent: it becomes a debt. */
  debt: dollars,
  /** What the operator may move without a second one. */
  alone: dollars,
});
export type RefundPreview = z.infer<typeof refundPreviewResponse>;

export const operatorCustomerEndpoints = {
  "GET /api/operator/payments/:id/refund": {
    access: "operator",
    right: "read-customers",
    query: z.object({ amount: typedDollars.optional() }),
    answer: refundPreviewResponse,
    refusals: ["not_found", "conflict"],
  },
} as const satisfies Endpoints;
