import { actingAs, type ServiceContext } from "../context.ts";
import { runInProcess, type ActivationOrder } from "../decks/decks.ts";
import {
  operatorOf,
  readProposals,
  rejectApproval,
  withdrawApproval,
  requireRight,
  rightToDecide,
} from "../operator/operator.ts";
import { AppError } from "../platform/app-error.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App } from "../platform/http/http.ts";
import { carryOut } from "./carry-out.ts";

/** `/api/operator/approvals`: what a second operator, or the proposer, decides about a proposal. The queue lists them. */
export function approvalRoutes(app: App, ctx: ServiceContext): void {
  serve(app, "POST /api/operator/approvals/:id/confirm", async (request) => {
    const { id } = request.params;
    const [approval] = await readProposals(ctx, [id]);
    if (approval === undefined) throw new AppError("not_found", { reason: "operator.no_proposal", params: { proposal: id } });
    const operator = { ...operatorOf(request), right: rightToDecide(approval) };
    requireRight(operator.role, operator.right);
    const activate = (order: ActivationOrder) => runInProcess(ctx, "activate", { operator, order });
    const done = await carryOut(actingAs(ctx, operator), approval, activate);
    return {
      failure: done.action === "refund" && done.refund.status === "failed" ? (done.refund.failure ?? "") : null,
    };
  });

  serve(app, "POST /api/operator/approvals/:id/reject", (request) =>
    rejectApproval(actingAs(ctx, operatorOf(request)), { ...request.params, ...request.body }),
  );

  serve(app, "POST /api/operator/approvals/:id/withdraw", (request) =>
    withdrawApproval(actingAs(ctx, operatorOf(request)), { ...request.params, ...request.body }),
  );
}
