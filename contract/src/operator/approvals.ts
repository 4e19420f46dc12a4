import { z } from "zod";
import type { Endpoints } from "../api/endpoint.ts";
import { dollars, instant } from "../values.ts";

/** A proposal that waits for a second operator. */
export const approval = z.object({
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
