import type { CallContext } from "../call-context.ts";
import { claimDueCalls } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { aboutCall } from "../../platform/log.ts";
import { checkCall, SilentExchanges } from "./check-call.ts";
import { filterUnknownLegs } from "./settle.store.ts";

/** A leg this old must have been reported, or its event was lost. Echo tests are shorter. */
const MIN_AGE_SECONDS = 60;
/** Legs checked per run. */
const MAX_LEGS = 5_000;
const BATCH = 100;
/** Batches per sweep; the rest wait for the next. */
const MAX_BATCHES = 50;
/** Concurrent provider queries. */
const PARALLEL = 8;
/** Default delay to a call's next check, and how long a claimed call is this service's. With the sweep's interval, calls are checked every 15 s. */
const NEXT_CHECK_MS = 10_000;

/**
 * Checks every due call: an unused ticket, a leg that may have ended, a passed limit. Events usually arrive first; the sweep ensures
 * that no call stays open if they are lost. Services share the calls by claiming them a batch at a time; what a service has claimed and did not
 * check in time, because it died or the provider is slow, is due again for all.
 */
export async function sweepCalls(ctx: CallContext, signal: AbortSignal): Promise<void> {
  const exchanges = new SilentExchanges();
  for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch++) {
    const now = ctx.clock.now();
    const until = new Date(now.getTime() + NEXT_CHECK_MS);
    const due = await claimDueCalls(ctx.handle.db, now, until, BATCH);
    await checkAll(ctx, due, { exchanges, signal, until });
    if (due.length < BATCH) return;
  }
}

async function checkAll(
  ctx: CallContext,
  due: readonly CallRow[],
  { exchanges, signal, until }: { exchanges: SilentExchanges; signal: AbortSignal; until: Date },
): Promise<void> {
  const waiting = [...due];
  const worker = async () => {
    for (let call = waiting.shift(); call !== undefined && !signal.aborted; call = waiting.shift()) {
      if (ctx.clock.now() >= until) return;
      await aboutCall(call, () =>
        checkCall(ctx, call, exchanges).catch((error: unknown) => ctx.log.warn({ err: error }, "call could not be checked")),
      );
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}

/**
 * Hangs up live legs at the provider that belong to no live call, because their events were lost or their call is settled: nobody
 * pays for them. (The sweeper handles the opposite, calls whose legs the provider does not know.)
 */
export async function endUnknownLegs(ctx: CallContext, signal: AbortSignal): Promise<void> {
  const live = await ctx.commands.liveLegs(MAX_LEGS);
  const old = live.filter(({ seconds }) => seconds >= MIN_AGE_SECONDS).map(({ callControlId }) => callControlId);
  for (const callControlId of await filterUnknownLegs(ctx.handle.db, old)) {
    if (signal.aborted) return;
    ctx.log.error({ call_control_id: callControlId }, "hanging up a leg of no live call");
    await ctx.commands.hangUp(callControlId);
  }
}
