import type { OperatorContext } from "../../context.ts";
import { MOVES_NOTHING, recordOperation } from "../../operator/operator.ts";
import { AppError } from "../../platform/app-error.ts";
import { findDispute, storeHandled } from "../record/dispute.store.ts";

/**
 * Records what an operator did about a dispute at the payment provider; it no longer waits, until the bank asks for evidence once more.
 * @throws AppError not_found; conflict if it does not wait
 */
export async function markDisputeHandled(
  ctx: OperatorContext,
  order: { dispute: string; as: "answered" | "accepted"; reason: string },
): Promise<void> {
  const { dispute: id, as, reason } = order;
  await ctx.transaction(async (tx) => {
    const customerId = await storeHandled(tx, id, { as, by: ctx.actor.id, at: ctx.clock.now() });
    if (customerId === undefined) {
      const known = await findDispute(tx, id);
      if (known === undefined) throw new AppError("not_found", { reason: "operator.no_dispute", params: { dispute: id } });
      const state = (known.handled ?? known.status).replaceAll("_", " ");
      throw new AppError("conflict", { reason: "operator.dispute_state", params: { dispute: id, state } });
    }
    await recordOperation(tx, ctx, { moves: MOVES_NOTHING, action: `dispute-${as}`, customerId, subject: id, reason });
  });
}
