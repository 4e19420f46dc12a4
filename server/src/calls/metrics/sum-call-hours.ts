import { DAY_MS } from "@farline/domain/durations.ts";
import type { Context } from "../../context.ts";
import { lockSummed, setSummedUntil, sumHours, takeChangedHours } from "./call-metrics.store.ts";
import { floorHour } from "../../platform/split-span.ts";

const HOUR_MS = 60 * 60 * 1000;

/** Job: sums the hours that ended an hour ago, and again those in which a call has changed since. */
export async function sumCallHours(ctx: Pick<Context, "transaction" | "clock">, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await sumNext(ctx)));
  while (!signal.aborted && (await sumChanged(ctx)));
}

/** @returns whether there are more */
function sumNext({ transaction, clock }: Pick<Context, "transaction" | "clock">): Promise<boolean> {
  const end = floorHour(clock.now().getTime() - HOUR_MS);
  return transaction(async (tx) => {
    const from = await lockSummed(tx);
    if (from === null || from.getTime() >= end) return false;
    const to = new Date(Math.min(from.getTime() + DAY_MS, end));
    await sumHours(tx, { from, to });
    await setSummedUntil(tx, to);
    return to.getTime() < end;
  });
}

/** A change that is committed later has a mark of its own. @returns whether there may be more */
function sumChanged({ transaction }: Pick<Context, "transaction">): Promise<boolean> {
  return transaction(async (tx) => {
    const until = await lockSummed(tx);
    if (until === null) return false;
    const { hours, more } = await takeChangedHours(tx);
    for (const from of hours) if (from < until) await sumHours(tx, { from, to: new Date(from.getTime() + HOUR_MS) });
    return more;
  });
}
