import type { Context, OperatorContext } from "../context.ts";
import { isUuid } from "@farline/domain/uuid.ts";
import { MOVES_NOTHING, recordOperation } from "../operator/operator.ts";
import { AppError } from "../platform/app-error.ts";
import type { Metric } from "../platform/metric.ts";
import { listBreakers, markLifted, readCarrierSpend } from "./breaker.store.ts";
import { startOfDay } from "./decide-breakers.ts";
import type { Breaker } from "./risk.tables.ts";

/** The breakers and warnings in force, and today's carrier cost in micro-dollars, for operators. */
export async function readBreakers({ handle, clock }: Context): Promise<{ spentMicros: bigint; breakers: Breaker[] }> {
  const now = clock.now();
  return {
    spentMicros: await readCarrierSpend(handle.db, startOfDay(now), now),
    breakers: await listBreakers(handle.db, now),
  };
}

/**
 * Lifts a breaker: ends a pause, or raises the daily carrier limit by its original amount.
 * @throws AppError not_found if none with this id is in force
 */
export async function liftBreaker(ctx: OperatorContext, order: { id: string; reason: string }): Promise<Breaker> {
  const at = ctx.clock.now();
  return ctx.transaction(async (tx) => {
    const lifted = isUuid(order.id) ? await markLifted(tx, order.id, at) : undefined;
    if (lifted === undefined) throw new AppError("not_found", { reason: "operator.no_breaker", params: { breaker: order.id } });
    await recordOperation(tx, ctx, {
      moves: MOVES_NOTHING,
      action: "lift-breaker",
      customerId: null,
      subject: lifted.id,
      reason: order.reason,
      detail: { ...lifted.inputs, kind: lifted.kind, breaker_subject: lifted.subject },
    });
    return lifted;
  });
}

/** Metrics for monitoring. */
export function breakerMetrics({ handle, clock }: Context): Metric[] {
  const inForce = async () => {
    const breakers = await listBreakers(handle.db, clock.now());
    return breakers.filter((one) => one.lifted_at === null);
  };
  return [
    {
      name: "farline_breakers_open",
      help: "Breakers that currently stop calls for all customers",
      read: async () => (await inForce()).filter((one) => one.kind !== "spend_note").length,
      runbook: "carrier-spend",
      warning: (open) => (open === 0 ? null : `Breakers that stop calls: ${open}. See the command breakers.`),
    },
    {
      name: "farline_carrier_spend_noted_percent",
      help: "Highest warning threshold of the daily carrier cost limit that was passed, in percent",
      read: async () =>
        Math.max(0, ...(await inForce()).flatMap((one) => (one.kind === "spend_note" ? [Number(one.subject)] : []))),
      runbook: "carrier-spend",
      warning: (percent) =>
        percent === 0 ? null : `Carrier cost has passed ${percent} % of the daily limit. See the command breakers.`,
    },
  ];
}
