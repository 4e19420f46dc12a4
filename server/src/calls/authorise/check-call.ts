import { serviceEvent } from "../provider/call-event.ts";
import { LIMIT_GRACE_SECONDS, RING_LIMIT_SECONDS } from "../call-times.ts";
import type { CallContext } from "../call-context.ts";
import { maxSecondsOf } from "./call-price.ts";
import { markAlive, requestHangUp } from "../call.store.ts";
import type { CallRow, Leg } from "../calls.tables.ts";
import { extendIfWorthIt } from "../live/extend-call.ts";
import type { LegStatus } from "../provider/provider-commands.ts";
import { recordEvent } from "../provider/record-event.ts";

/** A parked leg that was not dialled for, after a crash, is ended after this time. */
const UNDIALLED_MS = 20_000;
/** Events of an ended leg may arrive this much later. */
const LATE_EVENTS_MS = 10_000;
/** Shorter where there is no far leg, because after a quick cancel the caller may want to dial again. */
const QUICK_CANCEL_MS = 3_000;
/** Grace added to the limit of a call whose answer was missed. */
const UNSEEN_ANSWER_MS = 60_000;
/** If the provider is unreachable or does not end legs, a call is settled on known facts this long after its limit. */
const GIVE_UP_MS = 5 * 60_000;

/**
 * Asks the provider about a live call and settles it if it is over, in case events were lost. Safe to run at any time and
 * repeatedly, because it only adds facts.
 */
export async function checkCall(context: CallContext, call: CallRow): Promise<void> {
  const now = context.clock.now();
  if (call.parked_call_control_id === null) {
    // The ticket was closed early: the call was cancelled, but not settled.
    const closed = call.ticket_used_at === null ? null : ("cancelled" as const);
    const kind = now >= call.ticket_expires_at ? ("ticket_expired" as const) : closed;
    if (kind !== null) await recordEvent(context, call.id, serviceEvent(call.id, { kind, at: now }));
    return;
  }
  const leg: Leg = call.far_call_control_id === null ? "parked" : "far";
  const status = await context.commands.status(call.far_call_control_id ?? call.parked_call_control_id);
  if (status.state === "alive") return checkLiving(context, call, leg);
  if (status.state !== "unreachable") return checkOver(context, call, { leg, status });
  if (now.getTime() > limitMs(call) + GIVE_UP_MS) await recordLost(context, call, leg);
}

async function checkLiving(context: CallContext, found: CallRow, leg: Leg): Promise<void> {
  const now = context.clock.now();
  await markAlive(context.handle.db, found.id, now);
  const call = await extendIfWorthIt(context, found);
  const overLimit = now.getTime() > limitMs(call);
  const neverDialled = leg === "parked" && call.transferred_at === null && now.getTime() > usedMs(call) + UNDIALLED_MS;
  if (!overLimit && !neverDialled && call.hangup_requested_at === null) return;
  const legs = [call.far_call_control_id, call.parked_call_control_id].filter((id) => id !== null);
  const answers = await Promise.all(legs.map((id) => context.commands.hangUp(id)));
  // A leg that could not be ended may still talk or ring. The next check tries again.
  if (answers.includes(false) && now.getTime() <= limitMs(call) + GIVE_UP_MS) return;
  if (overLimit) {
    context.log.error({ call: call.id }, "call passed its limit and was ended");
    if (leg === "far") await recordEvent(context, call.id, serviceEvent(call.id, { kind: "limit_passed", at: now }));
    else await recordLost(context, call, leg);
  } else if (neverDialled) await recordEvent(context, call.id, serviceEvent(call.id, { kind: "transfer_failed", at: now }));
}

/**
 * Handles a leg that is over without its hang-up event, or where that does not tell whether the call was answered. Settles if
 * the provider knows the answer; else waits briefly for late events, then decides in the caller's favour.
 */
async function checkOver(
  context: CallContext,
  call: CallRow,
  found: { leg: Leg; status: Extract<LegStatus, { state: "ended" | "lost" }> },
): Promise<void> {
  const { leg, status } = found;
  const answerKnown = call.answered_at !== null || (status.state === "ended" && status.answeredAt !== undefined);
  const patienceMs = leg === "parked" ? QUICK_CANCEL_MS : LATE_EVENTS_MS;
  if ((leg === "parked" || !answerKnown) && !(await hasWaited(context, call, patienceMs))) return;
  if (status.state === "lost") return recordLost(context, call, leg);
  const at = status.endedAt ?? call.last_seen_alive_at ?? context.clock.now();
  await recordEvent(
    context,
    call.id,
    serviceEvent(call.id, { kind: "found_ended", leg, at, answeredAt: status.answeredAt ?? null }),
  );
}

/** Whether `patienceMs` have passed since the call was first known to be ending. Notes the time if this is the first. */
async function hasWaited(context: CallContext, call: CallRow, patienceMs: number): Promise<boolean> {
  const now = context.clock.now();
  if (call.hangup_requested_at !== null) return now.getTime() >= call.hangup_requested_at.getTime() + patienceMs;
  await requestHangUp(context.handle.db, call.id, now, new Date(now.getTime() + patienceMs));
  return false;
}

/** Ends the call when the leg was last seen, so that unknown time is not charged. */
async function recordLost(context: CallContext, call: CallRow, leg: Leg): Promise<void> {
  const at = call.last_seen_alive_at ?? call.answered_at ?? context.clock.now();
  await recordEvent(context, call.id, serviceEvent(call.id, { kind: "found_lost", leg, at }));
}

/** When the call must be over. Without a known answer, assumes that it came at the end of ringing. */
function limitMs(call: CallRow): number {
  const maxMs = maxSecondsOf(call) * 1000;
  if (call.answered_at !== null) return call.answered_at.getTime() + maxMs + LIMIT_GRACE_SECONDS * 1000;
  return usedMs(call) + RING_LIMIT_SECONDS * 1000 + maxMs + UNSEEN_ANSWER_MS;
}

function usedMs(call: CallRow): number {
  return (call.ticket_used_at ?? call.created_at).getTime();
}
