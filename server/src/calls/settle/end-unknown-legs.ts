import type { CallContext } from "../call-context.ts";
import { filterUnknownLegs } from "./end-unknown-legs.store.ts";

/** A leg this old must have been reported, or its event was lost. Echo tests are shorter. */
const MIN_AGE_SECONDS = 60;
/** Legs checked per run. */
const MAX_LEGS = 5_000;

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
