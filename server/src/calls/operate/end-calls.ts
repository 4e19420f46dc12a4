import { MOVES_NOTHING, type Verb } from "../../operator/operator.ts";
import { AppError } from "../../platform/app-error.ts";
import { serviceEvent } from "../events/call-event.ts";
import { insertEvents } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { publishCall } from "../record/present-call.ts";
import { lockCallsToEnd, requestHangUps } from "./live-calls.store.ts";
import { parseLiveFilter } from "./live-filter.ts";

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
      ...{ customerId: onlyCustomer(calls), subject: order.call ?? order.prefix ?? null, moves: MOVES_NOTHING },
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
