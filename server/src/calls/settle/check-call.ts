import { exchangeOfControlId } from "@farline/domain/calls/call-state.ts";
import { factOf, recordedCost, serviceEvent } from "../events/call-event.ts";
import { findDetailRecord, type LegRecord } from "../provider/detail-records.ts";
import { LIMIT_GRACE_SECONDS, RING_LIMIT_SECONDS, type CallRow, type Leg } from "../record/calls.tables.ts";
import type { CallContext } from "../call-context.ts";
import { maxSecondsOf } from "../record/call-price.ts";
import { markAlive, markNotAlive, readEvents, storeUnreachableChecks } from "../record/call.store.ts";
import { extendIfWorthIt } from "../live/extend-call.ts";
import type { LegStatus } from "../provider/provider-commands.ts";
import { recordEvent, type SettlingContext } from "../events/record-event.ts";

/** Unanswered queries in a row; one failure proves nothing about an exchange with thousands of calls. */
const SILENT_QUERIES = 8;
/** A parked leg that was never dialled, because of a crash, is hung up after this time. */
const UNDIALLED_MS = 20_000;
/** How late the events of an ended leg may arrive. */
const LATE_EVENTS_MS = 10_000;
/** Shorter without a far leg, because the caller may want to dial again after a quick cancel. */
const QUICK_CANCEL_MS = 3_000;
/** Detail records appear later than events. After this time, the call is settled without them. */
const LATE_RECORDS_MS = 3 * 60_000;
/** Check interval of a call that waits for events or records. */
const RECHECK_MS = 10_000;
/** Grace on the limit of a call whose answer was missed. */
const UNSEEN_ANSWER_MS = 60_000;
/** If the provider is unreachable or does not end legs, the call is settled on known facts this long after its limit. */
const GIVE_UP_MS = 5 * 60_000;
/** After this many unanswered checks the exchange counts as lost. Checks are 10 to 15 s apart, so its calls settle within two minutes. */
const GONE_AFTER_CHECKS = 7;
const UNREACHABLE: LegStatus = { state: "unreachable" };

/**
 * Queries the provider about a live call and settles it if it has ended, in case events were lost. Safe to run at any time and
 * repeatedly, because it only adds facts.
 */
export async function checkCall(ctx: CallContext, call: CallRow, exchanges: SilentExchanges): Promise<void> {
  const now = ctx.clock.now();
  if (call.parked_call_control_id === null) {
    // A ticket closed before its expiry: the call was cancelled but not settled.
    const closed = call.ticket_used_at === null ? null : ("cancelled" as const);
    const kind = now >= call.ticket_expires_at ? ("ticket_expired" as const) : closed;
    if (kind !== null) await recordEvent(ctx, call.id, serviceEvent(call.id, { kind, at: now }));
    return;
  }
  const leg: Leg = call.far_call_control_id === null ? "parked" : "far";
  const controlId = call.far_call_control_id ?? call.parked_call_control_id;
  const status = exchanges.isSilent(controlId) ? UNREACHABLE : await ctx.commands.status(controlId);
  exchanges.note(controlId, { answered: status.state !== "unreachable" });
  if (status.state === "unreachable") return checkUnreachable(ctx, call, leg);
  if (call.unreachable_checks > 0) await storeUnreachableChecks(ctx.handle.db, call.id, 0);
  if (status.state === "alive") return checkLive(ctx, call, leg);
  if (status.state === "silent" && mayRing(call, now)) return;
  return checkEnded(ctx, call, { leg, status });
}

/** Settles a call whose exchange is gone, or, with a provider that keeps calls elsewhere, long after its limit. */
async function checkUnreachable(ctx: CallContext, call: CallRow, leg: Leg): Promise<void> {
  const checks = call.unreachable_checks + 1;
  await storeUnreachableChecks(ctx.handle.db, call.id, checks);
  const exchange = exchangeOfControlId(call.parked_call_control_id ?? "");
  const exchangeIsGone = exchange !== null && checks >= GONE_AFTER_CHECKS;
  if (!exchangeIsGone && ctx.clock.now().getTime() <= limitMs(call) + GIVE_UP_MS) return;
  if (exchangeIsGone) ctx.log.error({ exchange }, "call settled at its last proof of life: its exchange is gone");
  await recordLost(ctx, call, leg);
}

async function checkLive(ctx: CallContext, found: CallRow, leg: Leg): Promise<void> {
  const now = ctx.clock.now();
  await markAlive(ctx.handle.db, found.id, now);
  const call = await extendIfWorthIt(ctx, found);
  const overLimit = now.getTime() > limitMs(call);
  const neverDialled = leg === "parked" && call.transferred_at === null && now.getTime() > usedMs(call) + UNDIALLED_MS;
  if (!overLimit && !neverDialled && call.hangup_requested_at === null) return;
  const answers = await Promise.all(legsOf(call).map((id) => ctx.commands.hangUp(id)));
  // A leg that could not be hung up may still be talking or ringing. The next check retries.
  if (answers.includes(false) && now.getTime() <= limitMs(call) + GIVE_UP_MS) return;
  if (overLimit) {
    ctx.log.error("call passed its limit and was ended");
    if (leg === "far") await recordEvent(ctx, call.id, serviceEvent(call.id, { kind: "limit_passed", at: now }));
    else await recordLost(ctx, call, leg);
  } else if (neverDialled) await recordEvent(ctx, call.id, serviceEvent(call.id, { kind: "transfer_failed", at: now }));
}

/** Whether a silent leg may be ringing. The provider limits the ringing, so this is true only for that long. */
function mayRing(call: CallRow, now: Date): boolean {
  if (call.answered_at !== null || call.hangup_requested_at !== null) return false;
  return now.getTime() <= usedMs(call) + RING_LIMIT_SECONDS * 1000 + LATE_EVENTS_MS;
}

/**
 * Handles an ended leg whose hang-up event is missing or leaves the answer unknown. Settles if the provider knows the answer and
 * the end. Otherwise waits briefly for late events, then up to minutes for the detail record, and finally decides in the caller's
 * favour.
 */
async function checkEnded(
  ctx: CallContext,
  call: CallRow,
  found: { leg: Leg; status: Extract<LegStatus, { state: "ended" | "silent" | "lost" }> },
): Promise<void> {
  const { leg, status } = found;
  const answerKnown = call.answered_at !== null || (status.state === "ended" && status.answeredAt !== undefined);
  const waitMs = leg === "parked" ? QUICK_CANCEL_MS : LATE_EVENTS_MS;
  const isClear = leg === "far" && answerKnown && status.state !== "silent";
  if (!isClear && !(await hasWaited(ctx, call, waitMs))) return;
  if (!(answerKnown && status.state === "ended") && !(await settleByRecord(ctx, call, leg))) return;
  if (status.state === "lost") return recordLost(ctx, call, leg);
  // A silent leg may still be ringing; hang it up, because nobody pays for it.
  if (status.state === "silent") await Promise.all(legsOf(call).map((id) => ctx.commands.hangUp(id)));
  const ended = status.state === "ended" ? status : { endedAt: call.last_seen_alive_at ?? ctx.clock.now(), answeredAt: null };
  const { endedAt: at, answeredAt = null } = ended;
  await recordEvent(ctx, call.id, serviceEvent(call.id, { kind: "found_ended", leg, at, answeredAt }));
}

/** Settles the call by its detail record, or keeps waiting for one. @returns true if the call must be settled without a record */
async function settleByRecord(ctx: CallContext, call: CallRow, leg: Leg): Promise<boolean> {
  const waitMs = await recordWaitMs(ctx, call, leg);
  if (waitMs === null) return true;
  const record = await findDetailRecord(ctx.telnyx, call, ctx.log);
  if (record === "not_kept") return true;
  if (record === "none_yet") return hasWaited(ctx, call, waitMs);
  await recordFound(ctx, call, record);
  return false;
}

/**
 * How long to wait for a detail record; null if it could not add anything. A browser leg that hung up without any far leg is a call
 * cancelled immediately. A far leg whose hang-up was not a normal end was hardly a conversation, so its wait is short.
 */
async function recordWaitMs(ctx: CallContext, call: CallRow, leg: Leg): Promise<number | null> {
  if (call.transferred_at === null) return null;
  const facts = (await readEvents(ctx.handle.db, call.id)).map(factOf);
  const hangup = facts.find((fact) => fact?.kind === "hangup" && fact.leg === leg);
  if (hangup?.kind !== "hangup") return LATE_RECORDS_MS;
  if (leg === "parked") return null;
  return hangup.sipStatus === 200 ? LATE_RECORDS_MS : LATE_EVENTS_MS;
}

async function recordFound(ctx: CallContext, call: CallRow, record: LegRecord): Promise<void> {
  const { id, endedAt: at, answeredAt, cost } = record;
  ctx.log.info({ record: id, answered: answeredAt !== null }, "call settled by the provider's record");
  if (cost !== null) await recordEvent(ctx, call.id, recordedCost(call.id, { at, cost }));
  await recordEvent(ctx, call.id, serviceEvent(call.id, { kind: "found_record", leg: "far", at, answeredAt }));
}

/** Whether `waitMs` have passed since the call was first seen ending. Stores the time on the first call. */
async function hasWaited(ctx: CallContext, call: CallRow, waitMs: number): Promise<boolean> {
  const now = ctx.clock.now();
  const since = call.hangup_requested_at ?? call.not_alive_since;
  if (since !== null) return now.getTime() >= since.getTime() + waitMs;
  await markNotAlive(ctx.handle.db, call.id, now, new Date(now.getTime() + Math.min(waitMs, RECHECK_MS)));
  return false;
}

/** Ends the call at the time its leg was last seen, so that unknown time is not charged. */
export async function recordLost(ctx: SettlingContext, call: CallRow, leg: Leg): Promise<void> {
  const at = call.last_seen_alive_at ?? call.answered_at ?? ctx.clock.now();
  await recordEvent(ctx, call.id, serviceEvent(call.id, { kind: "found_lost", leg, at }));
}

/** When the call must have ended. Without a known answer, assumes one at the end of the ringing. */
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

/**
 * Which exchanges do not answer, for one sweep: queries to a machine that is gone take seconds each, so the rest of its calls counts as
 * unreachable without a query.
 */
export class SilentExchanges {
  readonly #unanswered = new Map<string, number>();

  isSilent(controlId: string): boolean {
    const exchange = exchangeOfControlId(controlId);
    return exchange !== null && (this.#unanswered.get(exchange) ?? 0) >= SILENT_QUERIES;
  }

  note(controlId: string, { answered }: { readonly answered: boolean }): void {
    const exchange = exchangeOfControlId(controlId);
    if (exchange !== null) this.#unanswered.set(exchange, answered ? 0 : (this.#unanswered.get(exchange) ?? 0) + 1);
  }
}
