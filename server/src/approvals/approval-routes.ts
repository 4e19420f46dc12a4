import type { ApprovalResponse } from "@farline/contract/operator/approvals.ts";
import { hasRight } from "@farline/contract/operator/rights.ts";
import { formatDollars } from "@farline/domain/money.ts";
import { findCustomer } from "../accounts/accounts.ts";
import { actingAs, type Operator, type ServiceContext } from "../context.ts";
import { openApprovals, operatorOf, rejectApproval, requireRight, rightToConfirm, type Approval } from "../operator/operator.ts";
import { AppError } from "../platform/app-error.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { carryOut } from "./carry-out.ts";

/** `/api/operator/approvals`: proposals that wait for a second operator. */
export function approvalRoutes(app: App, ctx: ServiceContext): void {
  serve(app, "GET /api/operator/approvals", async (request) => {
    const open = await openApprovals(ctx);
    return { approvals: await Promise.all(open.map((one) => toApproval(ctx, one, operatorOf(request)))) };
  });

  serve(app, "POST /api/operator/approvals/:id/confirm", async (request) => {
    const { id } = request.params;
    const approval = (await openApprovals(ctx)).find((one) => one.id === id);
    if (approval === undefined) throw new AppError("not_found", { reason: "operator.no_proposal", params: { proposal: id } });
    const operator = operatorOf(request);
    requireRight(operator.role, rightToConfirm(approval));
    const done = await carryOut(actingAs(ctx, operator), approval);
    return { failure: done.action === "refund" && done.refund.status === "failed" ? (done.refund.failure ?? "") : null };
  });

  serve(app, "POST /api/operator/approvals/:id/reject", (request) =>
    rejectApproval(actingAs(ctx, operatorOf(request)), { id: request.params.id, reason: request.body.reason }),
  );
}

async function toApproval({ handle }: ServiceContext, approval: Approval, operator: Operator): Promise<ApprovalResponse> {
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
    may_confirm: approval.proposed_by !== operator.id && hasRight(operator.role, rightToConfirm(approval)),
  };
}
