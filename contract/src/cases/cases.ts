import { reason } from "@farline/texts/reason.ts";
import { pageQuery } from "../billing.ts";
import type { Endpoints } from "../api/endpoint.ts";
import { z } from "zod";
import { caseTopics, MAX_CASE_MESSAGE_CHARS } from "../constants.ts";
import { cursor, dollars, id, instant } from "../values.ts";

/** What a question is about. */
export const caseTopic = z.enum(caseTopics, { error: reason("topic_needed") });
export type CaseTopic = z.infer<typeof caseTopic>;

/** `POST /api/cases` (201): a question to the people who run the service. Takes an Idempotency-Key. */
const caseRequest = z.object({
  topic: caseTopic,
  message: z
    .string({ error: reason("message_needed") })
    .trim()
    .min(1, reason("message_needed"))
    .max(MAX_CASE_MESSAGE_CHARS, reason("note_too_long", { max: MAX_CASE_MESSAGE_CHARS })),
  /** The customer's call or payment that it is about. Another customer's answers 404. */
  about: z
    .object({ type: z.enum(["call", "payment"]), id })
    .nullable()
    .default(null),
});
export type CaseRequest = z.infer<typeof caseRequest>;

const supportCase = z.object({
  id,
  /** The reference that customers and operators quote. */
  number: z.number().int(),
  topic: caseTopic,
  message: z.string(),
  about: z
    .discriminatedUnion("type", [
      /** `number`: the called number, E.164. */
      z.object({ type: z.literal("call"), id, number: z.string(), created_at: instant }),
      /** `amount`: the amount due. */
      z.object({ type: z.literal("payment"), id, amount: dollars, created_at: instant }),
    ])
    .nullable(),
  state: z.enum(["open", "answered", "closed"]),
  answer: z.string().nullable(),
  created_at: instant,
  answered_at: instant.nullable(),
});
export type SupportCase = z.infer<typeof supportCase>;

const caseResponse = z.object({ case: supportCase });
export type CaseResponse = z.infer<typeof caseResponse>;

/** Answer of `GET /api/cases`, newest first. */
const casesResponse = z.object({ cases: z.object({ data: z.array(supportCase), next_cursor: cursor.nullable() }) });
export type CasesResponse = z.infer<typeof casesResponse>;

export const caseEndpoints = {
  "GET /api/cases": { access: "customer", query: pageQuery, answer: casesResponse },
  "POST /api/cases": {
    access: "customer",
    body: caseRequest,
    status: 201,
    answer: caseResponse,
    refusals: ["conflict", "not_found", "too_many_cases"],
  },
} as const satisfies Endpoints;
