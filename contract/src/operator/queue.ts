import { reason } from "@farline/texts/reason.ts";
import { z } from "zod";
import type { Endpoints } from "../api/endpoint.ts";
import { queueKinds } from "../constants.ts";
import { cursor, dollars, instant } from "../values.ts";

const MAX_ANSWER = 4000;

/** A refund request's answer is shown in the call's details. */
const MAX_REFUND_ANSWER = 500;

const queueKind = z.enum(queueKinds);

export type QueueKind = z.infer<typeof queueKind>;

/** `due`: what must be answered first. `money`: the largest amount first. */
const queueOrder = z.enum(["due", "money"]);

export type QueueOrder = z.infer<typeof queueOrder>;

/** A proposal that waits for a second operator. */
const approval = z.object({
  id: z.uuid(),
  action: z.string(),
  customer: z.object({ id: z.uuid(), email: z.string() }).nullable(),
  /** The payment, call or deck concerned. */
  subject: z.string().nullable(),
  /** Null if it moves no money of a customer. */
  amount: dollars.nullable(),
  detail: z.record(z.string(), z.unknown()),
  reason: z.string(),
  proposed_by: z.object({ id: z.uuid(), name: z.string() }),
  proposed_at: instant,
  expires_at: instant,
  /** What the operator who reads may do: withdraw their own, or decide another's within their role. */
  can: z.array(z.enum(["confirm", "reject", "withdraw"])),
  /** Why they may not confirm it; null if they may. */
  cannot: z.string().nullable(),
});

export type ApprovalResponse = z.infer<typeof approval>;

/** A failure is the payment provider's: the proposal was carried out, and the credit is back on the account. */
const confirmedResponse = z.object({
  failure: z.string().nullable(),
});

export const operatorApprovalEndpoints = {
  "POST /api/operator/approvals/:id/confirm": {
    access: "operator",
    right: "money",
    answer: confirmedResponse,
    refusals: ["not_found", "conflict", "validation_failed", "payment_provider_down"],
  },
} as const satisfies Endpoints;

const text = z.string();

/** What our records say about what waits: each kind has those that it needs. */
const queueFacts = z
  .object({
    /** The call or payment that it is about, by its id. */
    call: text,
    payment: text,
    number: text,
    country: text,
    number_type: text,
    billed_seconds: z.number(),
    duration_ms: z.number(),
    end_reason: text,
    /** Voice packets that the exchange received from each side when the refund was requested. */
    packets_from_caller: z.number(),
    packets_from_called: z.number(),
    /** Mean opinion score in the browser, 1 to 5. */
    mos: z.number(),
    tier: text,
    /** Refunds by rule to this customer in the last 30 days. */
    refunds_before: z.number(),
    /** As in "visa 4242". */
    method: text,
    /** Whether the card's owner confirmed the payment at the bank. */
    authenticated: z.boolean(),
    paid_at: instant,
    debt: dollars,
    held: dollars,
  })
  .partial();

/** Another operator, who has a case open. */
const caseHolder = z.object({ name: z.string(), since: instant });

export type CaseHolder = z.infer<typeof caseHolder>;

const queueItem = z.object({
  kind: queueKind,
  /** A question's number; the id of the call, proposal, dispute or refund; of the customer whose account is frozen. */
  id: z.string(),
  since: instant,
  /** The bank's date for a dispute, the end of a proposal; for the others, when a customer has waited too long. */
  due_at: instant,
  /** At stake; null if no money is. */
  amount: dollars.nullable(),
  customer: z.object({ id: z.uuid(), email: z.string(), name: z.string(), language: z.string() }).nullable(),
  /** The topic, the reason or the proposed action, by its code; null for what has none. */
  code: z.string().nullable(),
  /** Of a dispute its status, of a refund where it comes from. */
  state: z.string().nullable(),
  /** What the customer wrote, or why it waits. */
  text: z.string(),
  facts: queueFacts,
  /** Null for other kinds. */
  approval: approval.nullable(),
  /** A dispute's or refund's page at the payment provider; null for other kinds. */
  provider_url: z.string().nullable(),
  /** Who else has it open; null for nobody. */
  held_by: caseHolder.nullable(),
});

export type QueueItem = z.infer<typeof queueItem>;

/** `GET /api/operator/queue`. */
const queueResponse = z.object({ items: z.array(queueItem), next_cursor: cursor.nullable() });

export type QueueResponse = z.infer<typeof queueResponse>;

export const queueCount = z.object({
  kind: queueKind,
  waiting: z.number().int(),
  /** Since when the oldest waits; null if none does. */
  oldest: instant.nullable(),
  /** When the first of them is due; null if none waits. */
  due_at: instant.nullable(),
  /** At stake in all of them. */
  amount: dollars,
});

export type QueueCount = z.infer<typeof queueCount>;

/** `GET /api/operator/queue/counts`: only the kinds that the operator's role may answer. */
const queueCountsResponse = z.object({ counts: z.array(queueCount) });

function answerText(max: number) {
  const error = reason("operator.answer_length", { max });
  return z.string({ error }).trim().min(1, error).max(max, error);
}

/** What a customer reads about their question. */
export const caseAnswer = answerText(MAX_ANSWER);

/** What a customer reads about a refund of a call. */
export const refundAnswer = answerText(MAX_REFUND_ANSWER);

/** What waits for an operator, and its answers. */
export const operatorQueueEndpoints = {
  "GET /api/operator/queue": {
    access: "operator",
    right: "read-queue",
    query: z.object({
      kind: queueKind.optional(),
      /** Only this one, of its kind. */
      id: z.string().max(255).optional(),
      order: queueOrder.default("due"),
      cursor: cursor.optional(),
      limit: z.coerce.number().int().min(1).max(100).default(50),
    }),
    answer: queueResponse,
  },
  /** Says that the operator has a case open, until two minutes after the last time, or has another open; `take_over` ends it for others. */
  "POST /api/operator/queue/open": {
    access: "operator",
    right: "read-queue",
    body: z.object({ kind: queueKind, id: z.string().min(1).max(255), take_over: z.boolean().default(false) }),
    answer: z.object({ held_by: caseHolder.nullable() }),
  },
  "GET /api/operator/queue/counts": { access: "operator", right: "read-queue", answer: queueCountsResponse },
} as const satisfies Endpoints;
