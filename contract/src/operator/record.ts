import { z } from "zod";
import type { Endpoints } from "../api/endpoint.ts";
import { instant } from "../values.ts";

const operation = z.object({
  id: z.uuid(),
  at: instant,
  /** Their name at the time. */
  operator: z.object({ id: z.uuid(), name: z.string() }),
  action: z.string(),
  customer_id: z.uuid().nullable(),
  /** The payment, call, dispute or operator concerned. */
  subject: z.string().nullable(),
  reason: z.string(),
  detail: z.record(z.string(), z.unknown()),
});
export type OperationResponse = z.infer<typeof operation>;

/** `GET /api/operator/record`. */
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
  "GET /api/operator/record": { access: "operator", right: "read-record", query: recordQuery, answer: recordResponse },
} as const satisfies Endpoints;
