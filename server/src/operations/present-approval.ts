import type { ApprovalResponse } from "@farline/contract/operator/approvals.ts";
import { formatDollars } from "@farline/domain/money.ts";
import { findCustomer } from "../accounts/accounts.ts";
import type { Context, Operator } from "../context.ts";
import type { AppError } from "../platform/app-error.ts";
import { whyNotConfirm, type Approval } from "../operator/operator.ts";

/** A proposal as this operator sees it. */
export async function presentApproval(
  { handle, clock }: Context,
  approval: Approval,
  operator: Operator,
): Promise<ApprovalResponse> {
  const { id, action, customer_id: customerId, subject, amount_micros: amount, detail, reason, proposer } = approval;
  const customer = customerId === null ? undefined : await findCustomer(handle.db, customerId);
  const refusal = await whyNotConfirm(handle.db, approval, operator, clock.now());
  return {
    id,
    action,
    customer: customer === undefined ? null : { id: customer.id, email: customer.email },
    subject,
    amount: amount === null ? null : formatDollars(amount),
    detail,
    reason,
    proposed_by: { id: approval.proposed_by, name: proposer },
    proposed_at: approval.proposed_at.toISOString(),
    expires_at: approval.expires_at.toISOString(),
    can: canDo(approval, operator, refusal),
    cannot: refusal?.message ?? null,
  };
}

function canDo(approval: Approval, operator: Operator, refusal: AppError | null): ApprovalResponse["can"] {
  if (approval.proposed_by === operator.id) return ["withdraw"];
  if (refusal === null) return ["confirm", "reject"];
  return refusal.code === "forbidden" ? [] : ["reject"];
}
