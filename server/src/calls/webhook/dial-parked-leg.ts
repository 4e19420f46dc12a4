import { isFinal } from "@farline/domain/calls/call-state.ts";
import { dialledNumber } from "@farline/domain/numbers/dialled-number.ts";
import { providerEvent, serviceEvent } from "../events/call-event.ts";
import type { CallContext } from "../call-context.ts";
import { maxSecondsOf, rateOf } from "../record/call-price.ts";
import { startEcho, wantsEcho } from "../echo/echo-test.ts";
import { readTicket, ticketHash } from "../record/call-secrets.ts";
import { lapseNumber, readShownNumber } from "../caller-id/caller-number.store.ts";
import { findCallByTicket, markTransferred, redeemTicket, updateCall } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import type { EarlyLeg } from "./early-legs.ts";
import type { CallPrices, TransferResult } from "../provider/provider-commands.ts";
import { providerSecondsFor } from "../provider/provider-limit.ts";
import type { ProviderEvent } from "../events/read-provider-event.ts";
import { recordEvent, type Recorded } from "../events/record-event.ts";

/** When a call is first checked after the command to dial. */
const FIRST_CHECK_MS = 5_000;
/**
 * When a ticket that nobody knows yet is looked for again. The instance that decides about the call wakes the wait; these are for
 * decisions of other instances.
 */
const LOOK_AGAIN_MS = [50, 100, 200, 400, 750] as const;
/** How long an unconfirmed dial command may be repeated. The provider ignores a known `command_id` for a minute. */
const REPEAT_DIAL_MS = 50_000;

/**
 * Connects a parked browser leg to the number of the call whose ticket it carries, or ends it if the ticket is not valid: a voice
 * token alone dials nothing. Sends the command before acknowledging the event, so that a redelivery repeats it after a crash.
 *
 * A leg may be here before its call, because the page dials while the service decides. It waits after the acknowledgement: whoever dials
 * with tickets that nobody knows must not hold the provider's connections. After a crash the sweeper finds what was redeemed.
 */
export async function dialParkedLeg(ctx: CallContext, event: ProviderEvent): Promise<void> {
  if (wantsEcho(event)) return startEcho(ctx, event);
  const call = await redeem(ctx, event);
  if (call !== null) return dial(ctx, call);
  const ticket = ticketOf(event);
  const isUnknown = ticket !== null && (await knownCall(ctx, event)) === undefined;
  const leg = isUnknown ? ctx.earlyLegs.expect(ticketHash(ticket)) : null;
  if (leg === null) return dialOrRefuse(ctx, event);
  ctx.earlyLegs.wait(
    dialWhenDecided(ctx, event, leg).catch((error: unknown) =>
      ctx.log.error({ err: error, call_control_id: event.callControlId }, "parked leg could not be dialled"),
    ),
  );
}

/** Waits for the decision about a ticket that nobody knows yet. */
async function dialWhenDecided(ctx: CallContext, event: ProviderEvent, leg: EarlyLeg): Promise<void> {
  try {
    for (const waitMs of LOOK_AGAIN_MS)
      if ((await knownCall(ctx, event)) !== undefined || (await leg.decidedWithin(waitMs))) break;
  } finally {
    leg.stop();
  }
  await dialOrRefuse(ctx, event);
}

/** The last look at a ticket: its call may have been written since the one before. */
async function dialOrRefuse(ctx: CallContext, event: ProviderEvent): Promise<void> {
  const call = await redeem(ctx, event);
  if (call !== null) return dial(ctx, call);
  await refuse(ctx, event, await knownCall(ctx, event));
}

/** Ends a leg whose ticket does not connect it; unless it is the repeated event of one that the ticket has connected. */
async function refuse(ctx: CallContext, event: ProviderEvent, known: CallRow | undefined): Promise<void> {
  if (known?.parked_call_control_id === event.callControlId) return dialAgain(ctx, known, event);
  ctx.rateLimitedLog.warn(
    { call: known?.id, reason: refusalReason(known, event, ctx.clock.now()), call_control_id: event.callControlId },
    "parked leg refused: no valid ticket",
  );
  await ctx.commands.hangUp(event.callControlId);
}

async function redeem(ctx: CallContext, event: ProviderEvent): Promise<CallRow | null> {
  const ticket = ticketOf(event);
  const to = dialledNumber(event.to);
  if (ticket === null || to === null) return null;
  const now = ctx.clock.now();
  return redeemTicket(ctx.handle, {
    ticketHash: ticketHash(ticket),
    now,
    names: { leg: "parked", callControlId: event.callControlId, legId: event.legId, sessionId: event.sessionId, to, shown: null },
    senders: event.senders,
    event: { id: event.id, occurredAt: event.occurredAt, payload: event.payload },
    nextCheckAt: new Date(now.getTime() + FIRST_CHECK_MS),
  });
}

/** @param answered whether the service has answered the leg */
async function dial(ctx: CallContext, call: CallRow, answered = false): Promise<void> {
  const callControlId = call.parked_call_control_id;
  if (callControlId === null) throw new Error("A call without a parked leg cannot be dialled.");
  const [providerSeconds, prices] = await Promise.all([providerSecondsFor(ctx, call), pricesOf(ctx, call)]);
  const answer = await transfer(ctx, call, { callControlId, maxSeconds: providerSeconds, prices, answered });
  const at = ctx.clock.now();
  if (answer.result === "accepted") {
    const extendable = providerSeconds > maxSecondsOf(call) || (await ctx.connection.has("extend"));
    return markTransferred(ctx.handle.db, call.id, { at, providerSeconds, extendable });
  }
  // The event of the leg's answer dials again (`dialAnsweredLeg`).
  if (answer.result === "refused" && answer.because === "unanswered" && !answered && (await answerLeg(ctx, call))) return;
  ctx.log.warn({ call: call.id, err: answer.error, result: answer.result }, "call could not be dialled");
  const callerGone = answer.result === "refused" && answer.because === "ended";
  const failed = serviceEvent(call.id, { kind: "transfer_failed", at, callerGone });
  if (answer.result === "refused") await recordEvent(ctx, call.id, failed);
  // If the provider did not respond, the number may still be ringing. Only ending the leg makes sure that it is not.
  const gone = await ctx.commands.hangUp(callControlId);
  if (answer.result === "unknown" && gone) await recordEvent(ctx, call.id, failed);
}

/** Answers the parked leg. From then on its answer says nothing about the called person's. */
async function answerLeg(ctx: CallContext, call: CallRow): Promise<boolean> {
  await recordEvent(ctx, call.id, serviceEvent(call.id, { kind: "parked_leg_answered", at: ctx.clock.now() }));
  return call.parked_call_control_id !== null && ctx.commands.answer(call.parked_call_control_id);
}

/** Dials for a parked leg that the service had to answer first, once the provider reports that it is answered. */
export async function dialAnsweredLeg(ctx: CallContext, { call, facts }: Pick<Recorded, "call" | "facts">): Promise<void> {
  const byService = facts.some(({ kind }) => kind === "parked_leg_answered");
  if (byService && mayDialAgain(ctx, call)) await dial(ctx, call, true);
}

/**
 * Connects the leg with the caller's chosen number if it may still be shown. If the provider refuses that number, it lapses, and
 * the call shows the service's.
 */
async function transfer(
  ctx: CallContext,
  call: CallRow,
  leg: { callControlId: string; maxSeconds: number; prices: CallPrices | null; answered: boolean },
): Promise<TransferResult> {
  const order = {
    ...leg,
    to: call.destination,
    farLegMark: ctx.secrets.farLegMark(call.id),
  };
  const service = { from: ctx.config.telnyx.callerNumber, fromProof: null };
  const shows = call.caller_number === service.from ? null : call.caller_number;
  const own = shows === null ? null : await readShownNumber(ctx.handle.db, call.customer_id, shows);
  const shown = own === null ? service : { from: own.number, fromProof: own.proof };
  if (shown.from !== call.caller_number) await updateCall(ctx.handle.db, call.id, { caller_number: shown.from });
  const answer = await ctx.commands.transfer({ ...order, ...shown });
  if (own === null || answer.result !== "refused" || answer.because !== "other") return answer;
  ctx.log.warn({ call: call.id, err: answer.error }, "customer's number refused by the provider and must be proven again");
  await lapseNumber(ctx.handle.db, own.number, ctx.clock.now());
  ctx.live.publish(call.customer_id, { type: "caller_id" });
  await updateCall(ctx.handle.db, call.id, { caller_number: service.from });
  return ctx.commands.transfer({ ...order, ...service });
}

/** Null for a provider that chooses its own ways. */
async function pricesOf(ctx: CallContext, call: CallRow): Promise<CallPrices | null> {
  if (!(await ctx.connection.has("prices"))) return null;
  return { sale: rateOf(call), trunks: await ctx.rates.trunkCosts(call.destination) };
}

/** Handles a repeated delivery. Settles the call first if known facts have ended it without a settlement. */
async function dialAgain(ctx: CallContext, known: CallRow, event: ProviderEvent): Promise<void> {
  const call = (await recordEvent(ctx, known.id, providerEvent(event, "parked")))?.call ?? known;
  if (mayDialAgain(ctx, call)) await dial(ctx, call);
  else if (isFinal(call.status)) await ctx.commands.hangUp(event.callControlId);
}

/** Whether the dial command may be repeated, because its result is unknown. */
function mayDialAgain(ctx: CallContext, call: CallRow): boolean {
  if (isFinal(call.status) || call.transferred_at !== null || call.far_call_control_id !== null || call.ticket_used_at === null)
    return false;
  return ctx.clock.now().getTime() - call.ticket_used_at.getTime() < REPEAT_DIAL_MS;
}

async function knownCall(ctx: CallContext, event: ProviderEvent): Promise<CallRow | undefined> {
  const ticket = ticketOf(event);
  return ticket === null ? undefined : findCallByTicket(ctx.handle.db, ticketHash(ticket));
}

/** For the log. */
export function refusalReason(
  call: CallRow | undefined,
  event: Pick<ProviderEvent, "clientState" | "ticketHeader" | "to">,
  now: Date,
): string {
  if (call === undefined) return ticketOf(event) === null ? "no ticket" : "unknown ticket";
  if (isFinal(call.status)) return "call is over";
  if (call.ticket_used_at !== null) return "ticket used";
  if (call.ticket_expires_at <= now) return "ticket expired";
  return dialledNumber(event.to) === call.destination ? "ticket of another customer" : "other number than authorised";
}

function ticketOf(event: Pick<ProviderEvent, "clientState" | "ticketHeader">): string | null {
  return readTicket(event.clientState) ?? readTicket(event.ticketHeader);
}
