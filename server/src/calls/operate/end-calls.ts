import type { OperationInput } from "@farline/contract/operator/operation-inputs.ts";
import { MOVES_NOTHING, recordOperation, type Verb, CONCERNS_NOBODY } from "../../operator/operator.ts";
import { AppError } from "../../platform/app-error.ts";
import { serviceEvent } from "../events/call-event.ts";
import { insertEvents } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { publishCall } from "../record/present-call.ts";
import { lockCallsToEnd, requestHangUps, readCallsOfExchange } from "./live-calls.store.ts";
import { parseLiveFilter } from "./read-live-calls.ts";
import { actingAs, type OperatorContext } from "../../context.ts";
import { aboutCall } from "../../platform/log.ts";
import { createAppendEvent } from "../events/append-events.ts";
import { recordLost } from "../settle/check-call.ts";
import { createSettleCall } from "../settle/settle-call.ts";

const BATCH = 200;
/** An exchange has at most a few thousand calls. */
const MAX_BATCHES = 50;
/** The sweeper asks about each call every 15 seconds. */
const ALIVE_MS = 30_000;
/** Calls ended by one command. A caller of it repeats it while this many were ended. */
const MAX_ENDED = 2_000;

/**
 * Hangs up one live call, all of a customer, or all to a prefix. The sweeper ends the legs within seconds and repeats it until they have
 * ended; what was talked is charged.
 */
const hangUp: Verb<"hang-up", readonly CallRow[]> = {
  plan: async (tx, ctx, order) => {
    const filter = await parseLiveFilter(tx, order);
    if (filter === null) throw new AppError("validation_failed", { reason: "operator.calls_unnamed" });
    const calls = await lockCallsToEnd(tx, filter, MAX_ENDED);
    return {
      customerId: onlyCustomer(calls),
      subject: order.call ?? order.prefix ?? null,
      moves: MOVES_NOTHING,
      detail: { calls: calls.length },
      run: async () => {
        const at = ctx.clock.now();
        const ending = await requestHangUps(tx, calls, at);
        const ended = { kind: "ended_by_operator", at } as const;
        const events = ending.map(({ id }) => ({ ...serviceEvent(id, ended), call_id: id, received_at: at }));
        if (events.length > 0) await insertEvents(tx, events);
        return { result: ending };
      },
    };
  },
  finish: async (ctx, ended) => {
    for (const call of ended) publishCall(ctx.live, call, "state");
    return ended;
  },
  respond: ({ result }) => ({ ended: result?.length ?? 0 }),
};

export const hangUpVerbs = { "hang-up": hangUp };

function onlyCustomer(calls: readonly CallRow[]): string | null {
  const customers = new Set(calls.map((call) => call.customer_id));
  return customers.size === 1 ? (calls[0]?.customer_id ?? null) : null;
}

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
      ...CONCERNS_NOBODY,
      action: "settle-lost-exchange",
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
