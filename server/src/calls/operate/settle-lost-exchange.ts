import type { OperationInput } from "@farline/contract/operator/operation-inputs.ts";
import { actingAs, type OperatorContext } from "../../context.ts";
import { MOVES_NOTHING, recordOperation, type Verb } from "../../operator/operator.ts";
import { aboutCall } from "../../platform/log.ts";
import { AppError } from "../../platform/app-error.ts";
import { createAppendEvent } from "../events/append-events.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { recordLost } from "../settle/check-call.ts";
import { createSettleCall } from "../settle/settle-call.ts";
import { readCallsOfExchange } from "./live-calls.store.ts";

const BATCH = 200;
/** An exchange has at most a few thousand calls. */
const MAX_BATCHES = 50;
/** The sweeper asks about each call every 15 seconds. */
const ALIVE_MS = 30_000;

/**
 * Settles the live calls of an exchange that never comes back, each at its last proof of life: nothing is charged past it, and the callers
 * can call again at once.
 * @returns how many calls were settled
 * @throws AppError conflict if the exchange answered a moment ago
 */
async function settleLostExchange(
  ctx: OperatorContext,
  { exchange, reason }: OperationInput<"settle-lost-exchange">,
): Promise<number> {
  const { db } = ctx.handle;
  await refuseIfAlive(ctx, exchange);
  await ctx.transaction((tx) =>
    recordOperation(tx, ctx, {
      moves: MOVES_NOTHING,
      action: "settle-lost-exchange",
      customerId: null,
      subject: exchange,
      reason,
    }),
  );
  const job = actingAs(ctx, { kind: "job" });
  const settling = { ...job, appendEvent: createAppendEvent(job), settle: createSettleCall(job) };
  let settled = 0;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const calls = await readCallsOfExchange(db, exchange, BATCH);
    await Promise.all(calls.map((call) => aboutCall(call, () => recordLost(settling, call, legOf(call)))));
    settled += calls.length;
    if (calls.length < BATCH) break;
  }
  return settled;
}

export const exchangeVerbs: { readonly "settle-lost-exchange": Verb<"settle-lost-exchange", number> } = {
  "settle-lost-exchange": { order: settleLostExchange, respond: ({ result }) => ({ settled: result ?? 0 }) },
};

async function refuseIfAlive(ctx: OperatorContext, exchange: string): Promise<void> {
  const calls = await readCallsOfExchange(ctx.handle.db, exchange, BATCH * MAX_BATCHES);
  const since = ctx.clock.now().getTime() - ALIVE_MS;
  if (calls.some((call) => (call.last_seen_alive_at?.getTime() ?? 0) > since))
    throw new AppError("conflict", { reason: "operator.exchange_alive", params: { exchange } });
}

function legOf(call: CallRow): "parked" | "far" {
  return call.far_call_control_id === null ? "parked" : "far";
}
