import type { OperatorContext } from "../../context.ts";
import { MOVES_NOTHING, recordOperation } from "../../operator/operator.ts";
import { AppError } from "../../platform/app-error.ts";
import { serviceEvent } from "../events/call-event.ts";
import { insertEvents } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { publishCall } from "../record/present-call.ts";
import { requestHangUps } from "./live-calls.store.ts";
import { parseLiveFilter, type LiveQuery } from "./live-filter.ts";

/** Calls ended by one command. A caller of it repeats it while this many were ended. */
const MAX_ENDED = 2_000;

/**
 * Hangs up one live call, all of a customer, or all to a prefix. The sweeper ends the legs within seconds and repeats it until they have
 * ended; what was talked is charged.
 * @returns how many
 * @throws AppError not_found if nothing is named, or for an unknown call or customer; validation_failed for an invalid prefix
 */
export async function endCalls(ctx: OperatorContext, order: LiveQuery & { readonly reason: string }): Promise<number> {
  const { db } = ctx.handle;
  const filter = await parseLiveFilter(db, order);
  if (filter === null) throw new AppError("validation_failed", { reason: "operator.calls_unnamed" });
  const at = ctx.clock.now();
  const ended = await ctx.transaction(async (tx) => {
    const calls = await requestHangUps(tx, filter, at, MAX_ENDED);
    if (calls.length > 0)
      await insertEvents(
        tx,
        calls.map((call) => ({
          ...serviceEvent(call.id, { kind: "ended_by_operator", at }),
          call_id: call.id,
          received_at: at,
        })),
      );
    await recordOperation(tx, ctx, {
      moves: MOVES_NOTHING,
      action: "hang-up",
      customerId: onlyCustomer(calls),
      subject: order.call ?? order.prefix ?? null,
      reason: order.reason,
      detail: { calls: calls.length },
    });
    return calls;
  });
  for (const call of ended) publishCall(ctx.live, call, "state");
  return ended.length;
}

function onlyCustomer(calls: readonly CallRow[]): string | null {
  const customers = new Set(calls.map((call) => call.customer_id));
  return customers.size === 1 ? (calls[0]?.customer_id ?? null) : null;
}
