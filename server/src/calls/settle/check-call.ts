import { factOf, recordedCost, serviceEvent } from "../events/call-event.ts";
import { findDetailRecord, type LegRecord } from "../provider/detail-records.ts";
import { LIMIT_GRACE_SECONDS, RING_LIMIT_SECONDS } from "../record/call-times.ts";
import type { CallContext } from "../call-context.ts";
import { maxSecondsOf } from "../record/call-price.ts";
import { markAlive, markNotAlive, readEvents } from "../record/call.store.ts";
import type { CallRow, Leg } from "../record/calls.tables.ts";
import { extendIfWorthIt } from "../live/extend-call.ts";
import type { LegStatus } from "../provider/provider-commands.ts";
import { recordEvent } from "../events/record-event.ts";

/** A parked leg that was not dialled for, after a crash, is ended after this time. */
const UNDIALLED_MS = 20_000;
/** Events of an ended leg may arrive this much later. */
const LATE_EVENTS_MS = 10_000;
/** Shorter where there is no far leg, because after a quick cancel the caller may want to dial again. */
const QUICK_CANCEL_MS = 3_000;
/** The provider's books may say later than its events how a call went. After this, the call is settled without them. */
const LATE_RECORDS_MS = 3 * 60_000;
/** How often a call that waits for events or records is looked at. */
const LOOK_AGAIN_MS = 10_000;
/** Grace added to the limit of a call whose answer was missed. */
const UNSEEN_ANSWER_MS = 60_000;
/** If the provider is unreachable or does not end legs, a call is settled on known facts this long after its limit. */
const GIVE_UP_MS = 5 * 60_000;

/**
 * Asks the provider about a live call and settles it if it is over, in case events were lost. Safe to run at any time and
 * repeatedly, because it only adds facts.
 */
export async function checkCall(ctx: CallContext, call: CallRow): Promise<void> {
  const now = ctx.clock.now();
  if (call.parked_call_control_id === null) {
    // The ticket was closed early: the call was cancelled, but not settled.
    const closed = call.ticket_used_at === null ? null : ("cancelled" as const);
    const kind = now >= call.ticket_expires_at ? ("ticket_expired" as const) : closed;
    if (kind !== null) await recordEvent(ctx, call.id, serviceEvent(call.id, { kind, at: now }));
    return;
  }
  const leg: Leg = call.far_call_control_id === null ? "parked" : "far";
  const status = await ctx.commands.status(call.far_call_control_id ?? call.parked_call_control_id);
  if (status.state === "alive") return checkLiving(ctx, call, leg);
  if (status.state === "silent" && mayRing(call, now)) return;
  if (status.state !== "unreachable") return checkOver(ctx, call, { leg, status });
  if (now.getTime() > limitMs(call) + GIVE_UP_MS) await recordLost(ctx, call, leg);
}

async function checkLiving(ctx: CallContext, found: CallRow, leg: Leg): Promise<void> {
  const now = ctx.clock.now();
  await markAlive(ctx.handle.db, found.id, now);
  const call = await extendIfWorthIt(ctx, found);
  const overLimit = now.getTime() > limitMs(call);
  const neverDialled = leg === "parked" && call.transferred_at === null && now.getTime() > usedMs(call) + UNDIALLED_MS;
  if (!overLimit && !neverDialled && call.hangup_requested_at === null) return;
  const answers = await Promise.all(legsOf(call).map((id) => ctx.commands.hangUp(id)));
  // A leg that could not be ended may still talk or ring. The next check tries again.
  if (answers.includes(false) && now.getTime() <= limitMs(call) + GIVE_UP_MS) return;
  if (overLimit) {
    ctx.log.error({ call: call.id }, "call passed its limit and was ended");
    if (leg === "far") await recordEvent(ctx, call.id, serviceEvent(call.id, { kind: "limit_passed", at: now }));
    else await recordLost(ctx, call, leg);
  } else if (neverDialled) await recordEvent(ctx, call.id, serviceEvent(call.id, { kind: "transfer_failed", at: now }));
}

/** Whether a leg without sign of life may be one that rings: the provider ends the ringing, so not for ever. */
function mayRing(call: CallRow, now: Date): boolean {
  if (call.answered_at !== null || call.hangup_requested_at !== null) return false;
  return now.getTime() <= usedMs(call) + RING_LIMIT_SECONDS * 1000 + LATE_EVENTS_MS;
}

/**
 * Handles a leg that is over without its hang-up event, or where that does not tell whether the call was answered. Settles if
 * the provider knows answer and end; else waits briefly for late events, then asks the provider's books, which may take
 * minutes, and at last decides in the caller's favour.
 */
async function checkOver(
  ctx: CallContext,
  call: CallRow,
  found: { leg: Leg; status: Extract<LegStatus, { state: "ended" | "silent" | "lost" }> },
): Promise<void> {
  const { leg, status } = found;
  const answerKnown = call.answered_at !== null || (status.state === "ended" && status.answeredAt !== undefined);
  const patienceMs = leg === "parked" ? QUICK_CANCEL_MS : LATE_EVENTS_MS;
  const isClear = leg === "far" && answerKnown && status.state !== "silent";
  if (!isClear && !(await hasWaited(ctx, call, patienceMs))) return;
  if (!(answerKnown && status.state === "ended") && !(await askBooks(ctx, call, leg))) return;
  if (status.state === "lost") return recordLost(ctx, call, leg);
  // A leg that shows no sign of life may still be ringing; end it, because nobody pays for it.
  if (status.state === "silent") await Promise.all(legsOf(call).map((id) => ctx.commands.hangUp(id)));
  const ended = status.state === "ended" ? status : { endedAt: call.last_seen_alive_at ?? ctx.clock.now(), answeredAt: null };
  const { endedAt: at, answeredAt = null } = ended;
  await recordEvent(ctx, call.id, serviceEvent(call.id, { kind: "found_ended", leg, at, answeredAt }));
}

/** Asks the provider's books about a call that its events do not explain. False if there is nothing more to do now. */
async function askBooks(ctx: CallContext, call: CallRow, leg: Leg): Promise<boolean> {
  const patienceMs = await bookPatienceMs(ctx, call, leg);
  if (patienceMs === null) return true;
  const record = await findDetailRecord(ctx.telnyx, call, ctx.log);
  if (record === "not_kept") return true;
  if (record === "none_yet") return hasWaited(ctx, call, patienceMs);
  await recordFound(ctx, call, record);
  return false;
}

/**
 * How long a record may be waited for; null if the books have no more than the events. A browser's leg that has ended as reported,
 * without any far leg, is a call that was cancelled at once. A hang-up of the far leg that was not a conversation's is hardly one.
 */
async function bookPatienceMs(ctx: CallContext, call: CallRow, leg: Leg): Promise<number | null> {
  if (call.transferred_at === null) return null;
  const facts = (await readEvents(ctx.handle.db, call.id)).map(factOf);
  const hangup = facts.find((fact) => fact?.kind === "hangup" && fact.leg === leg);
  if (hangup?.kind !== "hangup") return LATE_RECORDS_MS;
  if (leg === "parked") return null;
  return hangup.sipStatus === 200 ? LATE_RECORDS_MS : LATE_EVENTS_MS;
}

async function recordFound(ctx: CallContext, call: CallRow, record: LegRecord): Promise<void> {
  const { id, endedAt: at, answeredAt, cost } = record;
  ctx.log.info({ call: call.id, record: id, answered: answeredAt !== null }, "call settled by the provider's record");
  if (cost !== null) await recordEvent(ctx, call.id, recordedCost(call.id, { at, cost }));
  await recordEvent(ctx, call.id, serviceEvent(call.id, { kind: "found_record", leg: "far", at, answeredAt }));
}

/** Whether `patienceMs` have passed since the call was first known to be ending. Notes the time if this is the first. */
async function hasWaited(ctx: CallContext, call: CallRow, patienceMs: number): Promise<boolean> {
  const now = ctx.clock.now();
  const since = call.hangup_requested_at ?? call.not_alive_since;
  if (since !== null) return now.getTime() >= since.getTime() + patienceMs;
  await markNotAlive(ctx.handle.db, call.id, now, new Date(now.getTime() + Math.min(patienceMs, LOOK_AGAIN_MS)));
  return false;
}

/** Ends the call when the leg was last seen, so that unknown time is not charged. */
async function recordLost(ctx: CallContext, call: CallRow, leg: Leg): Promise<void> {
  const at = call.last_seen_alive_at ?? call.answered_at ?? ctx.clock.now();
  await recordEvent(ctx, call.id, serviceEvent(call.id, { kind: "found_lost", leg, at }));
}

/** When the call must be over. Without a known answer, assumes that it came at the end of ringing. */
function limitMs(call: CallRow): number {
  const maxMs = maxSecondsOf(call) * 1000;
  if (call.answered_at !== null) return call.answered_at.getTime() + maxMs + LIMIT_GRACE_SECONDS * 1000;
  return usedMs(call) + RING_LIMIT_SECONDS * 1000 + maxMs + UNSEEN_ANSWER_MS;
}

function legsOf(call: CallRow): string[] {
  return [call.far_call_control_id, call.parked_call_control_id].filter((id) => id !== null);
}

function usedMs(call: CallRow): number {
  return (call.ticket_used_at ?? call.created_at).getTime();
}
