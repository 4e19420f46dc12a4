import { isFinal } from "@farline/domain/calls/call-state.ts";
import { dialledNumber } from "@farline/domain/numbers/extension.ts";
import { providerEvent, serviceEvent } from "../events/call-event.ts";
import type { CallContext } from "../call-context.ts";
import { maxSecondsOf, rateOf } from "../record/call-price.ts";
import { isEchoTest, startEcho } from "../echo/echo-test.ts";
import { readTicket, ticketHash } from "../record/call-secrets.ts";
import { lapseNumber, readShownNumber } from "../caller-id/caller-number.store.ts";
import { findCallByTicket, markTransferred, redeemTicket, updateCall } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import type { EarlyLeg } from "./early-legs.ts";
import type { CallPrices, TransferResult } from "../provider/provider-commands.ts";
import type { ProviderEvent } from "../events/read-provider-event.ts";
import { recordEvent, type Recorded } from "../events/record-event.ts";
import { nameCall } from "../../platform/log.ts";
import { readSpendingTerms } from "../record/proposed-call.ts";

/** Telnyx's longest `time_limit_secs`. */
const LONGEST_SECONDS = 14_400;
/** Delay of a call's first check after the dial command. */
const FIRST_CHECK_MS = 5_000;
/**
 * Delays between lookups of an unknown ticket. A decision by this instance ends the wait early; the lookups find decisions by other
 * instances.
 */
const TICKET_RETRY_MS = [50, 100, 200, 400, 750] as const;
/** How long an unconfirmed dial command may be repeated. The provider ignores a known `command_id` for a minute. */
const REDIAL_WINDOW_MS = 50_000;

/**
 * Connects a parked browser leg to the number of the call whose ticket it carries, or hangs it up if the ticket is invalid: a voice
 * token alone cannot dial. Sends the command before acknowledging the event, so that a redelivery repeats it after a crash.
 *
 * A leg may arrive before its call, because the page dials while the service decides. It waits after the acknowledgement, so that
 * legs with unknown tickets don't tie up the provider's connections. After a crash the sweeper finds redeemed tickets.
 */
export async function dialParkedLeg(ctx: CallContext, event: ProviderEvent): Promise<void> {
  if (isEchoTest(event)) return startEcho(ctx, event);
  const call = await redeem(ctx, event);
  if (call !== null) return dial(ctx, call);
  const ticket = ticketOf(event);
  const leg = ticket === null ? null : ctx.earlyLegs.expect(ticketHash(ticket));
  if (leg === null) return dialOrRefuse(ctx, event);
  let isUnknown = false;
  try {
    // Looked up once the leg is registered, so that a decision between the two is not missed.
    isUnknown = (await knownCall(ctx, event)) === undefined;
  } finally {
    if (!isUnknown) leg.stop();
  }
  if (!isUnknown) return dialOrRefuse(ctx, event);
  ctx.earlyLegs.track(
    dialWhenDecided(ctx, event, leg).catch((error: unknown) =>
      ctx.log.error({ err: error, call_control_id: event.callControlId }, "parked leg could not be dialled"),
    ),
  );
}

/** Waits for the decision about an unknown ticket, then dials or refuses. */
async function dialWhenDecided(ctx: CallContext, event: ProviderEvent, leg: EarlyLeg): Promise<void> {
  try {
    for (const waitMs of TICKET_RETRY_MS)
      if ((await leg.decidedWithin(waitMs)) || (await knownCall(ctx, event)) !== undefined) break;
  } finally {
    leg.stop();
  }
  await dialOrRefuse(ctx, event);
}

/** The final lookup of a ticket, because its call may have been written since the previous one. */
async function dialOrRefuse(ctx: CallContext, event: ProviderEvent): Promise<void> {
  const call = await redeem(ctx, event);
  if (call !== null) return dial(ctx, call);
  await refuse(ctx, event, await knownCall(ctx, event));
}

/** Hangs up a leg with an invalid ticket, unless the event is a redelivery for the leg that redeemed the ticket. */
async function refuse(ctx: CallContext, event: ProviderEvent, known: CallRow | undefined): Promise<void> {
  if (known?.parked_call_control_id === event.callControlId) return redial(ctx, known, event);
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
    identity: {
      leg: "parked",
      callControlId: event.callControlId,
      legId: event.legId,
      sessionId: event.sessionId,
      to,
      shown: null,
    },
    senders: event.senders,
    event: { id: event.id, occurredAt: event.occurredAt, payload: event.payload },
    nextCheckAt: new Date(now.getTime() + FIRST_CHECK_MS),
  });
}

/** @param answered whether the service has answered the leg */
async function dial(ctx: CallContext, call: CallRow, answered = false): Promise<void> {
  nameCall(call);
  const callControlId = call.parked_call_control_id;
  if (callControlId === null) throw new Error("A call without a parked leg cannot be dialled.");
  const [providerSeconds, prices] = await Promise.all([providerSecondsFor(ctx, call), pricesOf(ctx, call)]);
  const answer = await transfer(ctx, call, { callControlId, maxSeconds: providerSeconds, prices, answered });
  const at = ctx.clock.now();
  if (answer.result === "accepted") {
    ctx.log.info({ seconds: providerSeconds }, "call dialled");
    const extendable = providerSeconds > maxSecondsOf(call) || (await ctx.connection.has("extend"));
    return markTransferred(ctx.handle.db, call.id, { at, providerSeconds, extendable });
  }
  // The leg's answer event dials again (`dialAnsweredLeg`).
  if (answer.result === "refused" && answer.because === "unanswered" && !answered && (await answerLeg(ctx, call))) return;
  ctx.log.warn({ call: call.id, err: answer.error, result: answer.result }, "call could not be dialled");
  const callerGone = answer.result === "refused" && answer.because === "ended";
  const failed = serviceEvent(call.id, { kind: "transfer_failed", at, callerGone });
  if (answer.result === "refused") await recordEvent(ctx, call.id, failed);
  // If the provider did not respond, the number may be ringing. Hanging up the leg ends that in any case.
  const gone = await ctx.commands.hangUp(callControlId);
  if (answer.result === "unknown" && gone) await recordEvent(ctx, call.id, failed);
}

/** Answers the parked leg. Its answer is then no evidence of the far leg's. */
async function answerLeg(ctx: CallContext, call: CallRow): Promise<boolean> {
  await recordEvent(ctx, call.id, serviceEvent(call.id, { kind: "parked_leg_answered", at: ctx.clock.now() }));
  return call.parked_call_control_id !== null && ctx.commands.answer(call.parked_call_control_id);
}

/** Dials for a parked leg that the service had to answer first, once the provider reports the answer. */
export async function dialAnsweredLeg(ctx: CallContext, { call, facts }: Pick<Recorded, "call" | "facts">): Promise<void> {
  const byService = facts.some(({ kind }) => kind === "parked_leg_answered");
  if (byService && canRedial(ctx, call)) await dial(ctx, call, true);
}

/**
 * Connects the leg with the caller's chosen number as caller id, if it may still be shown. If the provider refuses that number, it
 * lapses and the call shows the service's.
 */
async function transfer(
  ctx: CallContext,
  call: CallRow,
  leg: { callControlId: string; maxSeconds: number; prices: CallPrices | null; answered: boolean },
): Promise<TransferResult> {
  const order = {
    ...leg,
    to: call.destination,
    farLegMark: ctx.secrets.farLegMark(call),
  };
  const service = { from: ctx.config.telnyx.callerNumber, fromProof: null };
  const chosenNumber = call.caller_number === service.from ? null : call.caller_number;
  const showable = chosenNumber === null ? null : await readShownNumber(ctx.handle.db, call.customer_id, chosenNumber);
  const shown = showable === null ? service : { from: showable.number, fromProof: showable.proof };
  if (shown.from !== call.caller_number) await updateCall(ctx.handle.db, call.id, { caller_number: shown.from });
  const answer = await ctx.commands.transfer({ ...order, ...shown });
  if (showable === null || answer.result !== "refused" || answer.because !== "other") return answer;
  ctx.log.warn({ call: call.id, err: answer.error }, "customer's number refused by the provider; it must be verified again");
  await lapseNumber(ctx.handle.db, showable.number, ctx.clock.now());
  ctx.live.publish(call.customer_id, { type: "caller_id" });
  await updateCall(ctx.handle.db, call.id, { caller_number: service.from });
  return ctx.commands.transfer({ ...order, ...service });
}

/** Null for a provider that does its own routing. */
async function pricesOf(ctx: CallContext, call: CallRow): Promise<CallPrices | null> {
  if (!(await ctx.connection.has("prices"))) return null;
  return { sale: rateOf(call), trunks: await ctx.rates.trunkCosts(call.destination) };
}

/** Handles a redelivered event. Settles the call first if its facts have ended it without a settlement. */
async function redial(ctx: CallContext, known: CallRow, event: ProviderEvent): Promise<void> {
  const call = (await recordEvent(ctx, known.id, providerEvent(event, "parked")))?.call ?? known;
  if (canRedial(ctx, call)) await dial(ctx, call);
  else if (isFinal(call.status)) await ctx.commands.hangUp(event.callControlId);
}

/** Whether the dial command may be repeated because its result is unknown. */
function canRedial(ctx: CallContext, call: CallRow): boolean {
  if (isFinal(call.status) || call.transferred_at !== null || call.far_call_control_id !== null || call.ticket_used_at === null)
    return false;
  return ctx.clock.now().getTime() - call.ticket_used_at.getTime() < REDIAL_WINDOW_MS;
}

async function knownCall(ctx: CallContext, event: ProviderEvent): Promise<CallRow | undefined> {
  const ticket = ticketOf(event);
  return ticket === null ? undefined : findCallByTicket(ctx.handle.db, ticketHash(ticket));
}

/** The reason to log for a refused leg. */
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

/**
 * The initial limit at the provider, in seconds from the answer. If the provider cannot raise it later, it includes a margin within
 * which top-ups can extend the call. The service ends the call at its own limit, so the margin bounds the loss while the service is
 * down. Expensive numbers and new customers get no margin.
 */
async function providerSecondsFor(ctx: CallContext, call: CallRow): Promise<number> {
  const seconds = maxSecondsOf(call);
  if (await ctx.connection.has("extend")) return seconds;
  return Math.min(seconds + (await marginSeconds(ctx, call)), LONGEST_SECONDS);
}

async function marginSeconds(ctx: CallContext, call: CallRow): Promise<number> {
  if (call.price_class !== "A") return 0;
  const { tier } = await readSpendingTerms(ctx, call);
  return tier === "unverified" || tier === "new" ? 0 : ctx.config.telnyx.marginMinutes * 60;
}
