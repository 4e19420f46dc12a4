import type { CallContext } from "../call-context.ts";
import { legsOfNoCall } from "./end-unknown-legs.store.ts";

/** A leg is reported before it is this old, or its report was lost. Echo tests are shorter. */
const MIN_AGE_SECONDS = 60;
/** Most legs that one run looks at. */
const MAX_LEGS = 5_000;

/**
 * Hangs up legs that live at the provider and belong to no live call: their events were lost, or their call is settled. They cost
 * money that nobody pays. Calls whose legs are unknown at the provider are the sweeper's.
 */
export async function endUnknownLegs(ctx: CallContext, signal: AbortSignal): Promise<void> {
  const living = await ctx.commands.livingLegs(MAX_LEGS);
  const old = living.filter(({ seconds }) => seconds >= MIN_AGE_SECONDS).map(({ callControlId }) => callControlId);
  for (const callControlId of await legsOfNoCall(ctx.handle.db, old)) {
    if (signal.aborted) return;
    ctx.log.error({ call_control_id: callControlId }, "leg of no live call ended");
    await ctx.commands.hangUp(callControlId);
  }
}
