import { serviceEvent } from "../events/call-event.ts";
import type { CallContext } from "../call-context.ts";
import { findCallsToCut, claimCallsToEnd, claimCallsToWarn, hasOlderCall } from "./live-call.store.ts";
import { hangUpCall } from "./end-call.ts";
import { aboutCall } from "../../platform/log.ts";
import { recordEvent } from "../events/record-event.ts";
import type { EndElsewhere } from "../../accounts/accounts.ts";
import type { RemovedAccess } from "../../mail/mail.ts";
import { deleteCheck, resetShownNumber } from "../caller-id/caller-number.store.ts";
import { deleteEchoTests } from "../echo/echo-test.store.ts";
import { endCredentials } from "../credentials/voice-credential.store.ts";

/** Calls ended per run. */
const BATCH = 100;

/**
 * Ends running calls whose session was ended, and those that accounts make or pay that were frozen, went into debt, or whose owner ended all
 * access. Reads them from the database each time, so a crash forgets none; the sweeper retries failed attempts.
 */
export async function cutCalls(ctx: CallContext, signal: AbortSignal): Promise<void> {
  for (const { because: kind, ...call } of await findCallsToCut(ctx.handle.db, BATCH)) {
    if (signal.aborted) return;
    await aboutCall(call, async () => {
      ctx.log.warn({ customer: call.customer_id, because: kind }, "call ended by the service");
      await recordEvent(ctx, call.id, serviceEvent(call.id, { kind, at: ctx.clock.now() }));
      await hangUpCall(ctx, call).catch((error: unknown) => ctx.log.warn({ err: error }, "call could not be ended"));
    });
  }
}

/**
 * Ends calls at their own limit if the provider has a longer one. Due calls are read from the database, so a restart loses none. The
 * sweeper retries legs that could not be ended.
 */
export async function endDueCalls(ctx: CallContext, signal: AbortSignal): Promise<void> {
  const now = ctx.clock.now();
  for (const call of await claimCallsToEnd(ctx.handle.db, now, BATCH)) {
    if (signal.aborted) return;
    await aboutCall(call, async () => {
      const legs = [call.far_call_control_id, call.parked_call_control_id].filter((id) => id !== null);
      const ended = await Promise.all(legs.map((id) => ctx.commands.hangUp(id)));
      if (ended.includes(false)) return;
      await recordEvent(ctx, call.id, serviceEvent(call.id, { kind: "limit_passed", at: now }));
    });
  }
}

/** Warns pages 60 and 15 seconds before their call ends. A call first seen in its last 15 seconds gets only the second warning. */
export async function warnOfEnd(ctx: CallContext): Promise<void> {
  const now = ctx.clock.now();
  for (const seconds of [15, 60] as const)
    for (const call of await claimCallsToWarn(ctx.handle.db, now, seconds))
      ctx.live.publish(call.customer_id, { type: "call_warning", id: call.id, seconds_left: seconds });
}

/**
 * Revokes the customer's voice credentials, so that an intruder's page cannot use the owner's next voice token. A job (`cutCalls`)
 * ends running calls.
 */
export const endCallAccess: EndElsewhere = async (tx, { customerId, at }) => {
  await endCredentials(tx, customerId, at);
  await deleteEchoTests(tx, customerId);
  await deleteCheck(tx, customerId);
  const removed: RemovedAccess[] = (await hasOlderCall(tx, customerId, at)) ? ["live_calls"] : [];
  // Otherwise people who call back would reach a number that the intruder chose.
  if (await resetShownNumber(tx, customerId)) removed.push("caller_number");
  return removed;
};
