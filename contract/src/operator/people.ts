import { cleanLine } from "@farline/domain/text/clean-text.ts";
import { reason } from "@farline/texts/reason.ts";
import { z } from "zod";
import type { Endpoints } from "../api/endpoint.ts";
import { instant } from "../values.ts";
import { operatorRole } from "./session.ts";

const MAX_REASON = 500;

/** Why an operator does something; kept in the audit log. */
export const operationReason = z
  .string({ error: reason("operator.reason_needed") })
  .transform(cleanLine)
  .pipe(
    z
      .string()
      .min(1, reason("operator.reason_needed"))
      .max(MAX_REASON, reason("operator.reason_too_long", { max: MAX_REASON })),
  );

const listedOperator = z.object({
  id: z.uuid(),
  email: z.string(),
  name: z.string(),
  role: operatorRole,
  created_at: instant,
  /** What they can sign in with. */
  password: z.boolean(),
  passkeys: z.number().int(),
  /** Of the console and of command lines. */
  sessions: z.number().int(),
  /** From when they count as a second person; null if they do. */
  second_person_from: instant.nullable(),
  /** Null without an open invitation. */
  invited_until: instant.nullable(),
  /** A link that two administrators agreed on: only who proposed it may fetch it, once. */
  link: z.object({ proposer: z.uuid(), until: instant }).nullable(),
});

export type ListedOperatorResponse = z.infer<typeof listedOperator>;

/** Answer of `GET /api/operator/operators`: oldest first. */
const operatorsResponse = z.object({ operators: z.array(listedOperator) });

/** A one-time link, which is shown once, to who proposed it. Nothing is mailed. */
export const invitationLinkResponse = z.object({ url: z.string(), expires_at: instant });

export type InvitationLinkResponse = z.infer<typeof invitationLinkResponse>;

export const operatorPeopleEndpoints = {
  "GET /api/operator/operators": { access: "operator", right: "read-operators", answer: operatorsResponse },
} as const satisfies Endpoints;

const operation = z.object({
  id: z.uuid(),
  at: instant,
  /** Their name at the time. */
  operator: z.object({ id: z.uuid(), name: z.string() }),
  action: z.string(),
  /** Whom it was about; null for what is about nobody. */
  customer: z.object({ id: z.uuid(), email: z.string() }).nullable(),
  /** The payment, call, dispute or operator concerned. */
  subject: z.string().nullable(),
  reason: z.string(),
  detail: z.record(z.string(), z.unknown()),
});

export type OperationResponse = z.infer<typeof operation>;

/** `GET /api/operator/audit-log`. */
const recordQuery = z.object({
  operator: z.uuid().optional(),
  customer: z.uuid().optional(),
  action: z.string().max(40).optional(),
  cursor: z.uuid().optional(),
});

/** Newest first. */
const recordResponse = z.object({
  operations: z.array(operation),
  /** For the next page; null on the last. */
  next_cursor: z.uuid().nullable(),
});

export const operatorRecordEndpoints = {
  "GET /api/operator/audit-log": { access: "operator", right: "read-audit-log", query: recordQuery, answer: recordResponse },
} as const satisfies Endpoints;
