import type { ApprovalResponse } from "@farline/contract/operator/approvals.ts";
import { hasRight } from "@farline/contract/operator/rights.ts";
import { formatDollars } from "@farline/domain/money.ts";
import { findCustomer } from "../accounts/accounts.ts";
import type { Context, Operator } from "../context.ts";
import { rightToDecide, type Approval } from "../operator/operator.ts";

/** A proposal as this operator sees it. */
export async function presentApproval({ handle }: Context, approval: Approval, operator: Operator): Promise<ApprovalResponse> {
  const { id, action, customer_id: customerId, subject, amount_micros: amount, detail, reason, proposer } = approval;
  const customer = customerId === null ? undefined : await findCustomer(handle.db, customerId);
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
    can: canDo(approval, operator),
  };
}

function canDo(approval: Approval, operator: Operator): ApprovalResponse["can"] {
  if (approval.proposed_by === operator.id) return ["withdraw"];
  return hasRight(operator.role, rightToDecide(approval)) ? ["confirm", "reject"] : [];
}
