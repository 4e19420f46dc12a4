import type { IncomingHttpHeaders } from "node:http";
import { isFinal } from "@farline/domain/calls/call-state.ts";
import { dialledNumber } from "@farline/domain/numbers/extension.ts";
import { TelnyxError } from "telnyx";
import { AppError } from "../../platform/app-error.ts";
import { nameCall } from "../../platform/log.ts";
import { providerEvent } from "../events/call-event.ts";
import type { CallContext } from "../call-context.ts";
import { readTicket, ticketHash } from "../record/call-secrets.ts";
import { findCallById, findCallByLeg, findCallBySession, findCallByTicket } from "../record/call.store.ts";
import type { CallRow, Leg } from "../record/calls.tables.ts";
import { checkCall, SilentExchanges } from "../settle/check-call.ts";
import { isEchoLeg } from "../echo/echo-test.store.ts";
import { dialAnsweredLeg, dialParkedLeg } from "./dial-parked-leg.ts";
import { readProviderEvent, type ProviderEvent } from "../events/read-provider-event.ts";
import { isRefusedOnTheWay } from "../events/end-reason.ts";
import { legIdentityOf, wasCommanded } from "../events/call-legs.ts";
import { recordEvent, type Recorded } from "../events/record-event.ts";

/** What a charge begins and ends with. */
const CHARGED: ReadonlySet<ProviderEvent["kind"]> = new Set(["answered", "hangup"]);

/**
 * Handles one delivery of the voice provider's webhook. Returning acknowledges it; throwing makes the provider redeliver it.
 * @param rawBody the exact bytes that the signature covers
 * @throws AppError bad_signature unless the provider signed the body within the last 5 minutes; voice_provider_down while an ended
 * call's leg cannot be hung up
 */
export async function receiveProviderEvent(ctx: CallContext, rawBody: string, headers: IncomingHttpHeaders): Promise<void> {
  const event = readProviderEvent(await verified(ctx, rawBody, headers));
  if (event === null) return;
  nameCall({ id: null, session_id: event.sessionId });
  const isForeign = event.connectionId !== null && event.connectionId !== ctx.config.telnyx.connectionId;
  if (!isForeign && event.kind === "initiated" && event.state === "parked") return dialParkedLeg(ctx, event);
  const found = await findLeg(ctx, event);
  // A far leg is the service's own, whatever connection the event names. Other legs may belong to another installation.
  if (isForeign && found?.leg !== "far") {
    ctx.rateLimitedLog.warn({ connection: event.connectionId, kind: event.kind }, "event of another connection");
    return;
  }
  if (found === null) return endStrayLeg(ctx, event);
  nameCall({ id: found.callId, session_id: event.sessionId });
  ctx.log[CHARGED.has(event.kind) ? "info" : "debug"]({ event: event.kind, leg: found.leg }, "call event");
  const recorded = await recordEvent(ctx, found.callId, providerEvent(event, found.leg), legIdentityOf(event, found.leg));
  if (recorded === null || recorded.foreignLeg) return isForeign ? undefined : endStrayLeg(ctx, event);
  if (event.kind === "answered" && found.leg === "parked") await dialAnsweredLeg(ctx, recorded);
  if (event.kind === "hangup") followHangup(ctx, recorded, found.leg);
  else if (event.kind !== "cost" && isFinal(recorded.call.status)) await endLateLeg(ctx, event);
}

async function verified(ctx: CallContext, rawBody: string, headers: IncomingHttpHeaders): Promise<unknown> {
  const signed = Object.fromEntries(
    ["telnyx-signature-ed25519", "telnyx-timestamp"].map((name) => [name, [headers[name]].flat()[0] ?? ""]),
  );
  try {
    return await unwrapWithAny(ctx, rawBody, signed);
  } catch (error) {
    if (error instanceof SyntaxError) throw new AppError("malformed_request", { reason: "event_unreadable", cause: error });
    if (!(error instanceof TelnyxError)) throw error;
    ctx.rateLimitedLog.warn({ reason: error.message.split(":", 1)[0] }, "provider event refused: bad signature");
    throw new AppError("bad_signature", { cause: error });
  }
}

/** @throws the last key's TelnyxError if no key verifies the body */
async function unwrapWithAny(ctx: CallContext, rawBody: string, headers: Record<string, string>): Promise<unknown> {
  let refusal: unknown;
  for (const key of ctx.config.telnyx.publicKeys)
    try {
      return await ctx.telnyx.webhooks.unwrap(rawBody, { headers, key });
    } catch (error) {
      if (!(error instanceof TelnyxError)) throw error;
      refusal = error;
    }
  throw refusal;
}

/**
 * Identifies an event's leg by values that browsers cannot choose: a far leg first by its mark, then any known leg by its id. A ticket
 * identifies a browser's leg here only once it has ended, because a live one must be parked first.
 */
async function findLeg(ctx: CallContext, event: ProviderEvent): Promise<{ callId: string; leg: Leg } | null> {
  const marked = ctx.secrets.callOfFarLeg(event.clientState);
  if (marked !== null) return { callId: marked, leg: "far" };
  const known = await findCallByLeg(ctx.handle.db, event.callControlId);
  if (known !== undefined)
    return { callId: known.id, leg: known.parked_call_control_id === event.callControlId ? "parked" : "far" };
  const ticket = event.kind === "hangup" ? readTicket(event.clientState) : null;
  const call = ticket === null ? undefined : await findCallByTicket(ctx.handle.db, ticketHash(ticket));
  if (call === undefined || call.parked_call_control_id !== null || dialledNumber(event.to) !== call.destination) return null;
  return { callId: call.id, leg: "parked" };
}

/**
 * Hangs up a leg on our connection that no call commanded, because nobody would pay for it. If it is in a call's session, an attacker
 * controls that call, so its parked leg is hung up too.
 */
async function endStrayLeg(ctx: CallContext, event: ProviderEvent): Promise<void> {
  if (event.kind === "hangup" || event.kind === "cost" || (await isEchoLeg(ctx.handle.db, event.callControlId))) return;
  const hijacked = await findHijackedCall(ctx, event);
  ctx.log.error(
    { kind: event.kind, call: hijacked?.id, call_control_id: event.callControlId, to: event.to },
    "ended a leg that no call commanded",
  );
  await ctx.commands.hangUp(event.callControlId);
  const parked = hijacked?.parked_call_control_id ?? null;
  if (parked !== null) await ctx.commands.hangUp(parked);
}

/** The call that a stray leg was added to. A duplicate of the commanded leg is not an attack, so its call continues. */
async function findHijackedCall(ctx: CallContext, event: ProviderEvent): Promise<CallRow | undefined> {
  const { db } = ctx.handle;
  const marked = ctx.secrets.callOfFarLeg(event.clientState);
  const call =
    (event.sessionId === null ? undefined : await findCallBySession(db, event.sessionId)) ??
    (marked === null ? undefined : await findCallById(db, marked));
  const isDuplicate = call !== undefined && call.id === marked && wasCommanded(call, legIdentityOf(event, "far"));
  return isDuplicate ? undefined : call;
}

/**
 * Hangs up a leg of an ended call, which has no hold to pay for it. Usually the event is just late and the leg has ended. The sweeper
 * ignores ended calls, so the provider must redeliver the event until the leg has ended.
 */
async function endLateLeg(ctx: CallContext, event: ProviderEvent): Promise<void> {
  if (!(await ctx.commands.hangUp(event.callControlId)))
    throw new AppError("voice_provider_down", { reason: "event_not_handled" });
}

/** Hangs up the other leg, and queries the provider immediately if it is unclear how the call ended. */
function followHangup(ctx: CallContext, { call, facts, needsProof }: Recorded, leg: Leg): void {
  const other: Leg = leg === "far" ? "parked" : "far";
  const otherId = other === "far" ? call.far_call_control_id : call.parked_call_control_id;
  const refused = facts.some((fact) => fact.kind === "hangup" && fact.leg === "far" && isRefusedOnTheWay(fact));
  if (leg === "far" && refused && call.answered_at === null)
    ctx.log.error(
      { call: call.id, country: call.country_code, from: call.caller_number },
      "the provider refused to dial (403): a country it does not allow, too many calls at once, or the caller number; see `telnyx check`",
    );
  const otherIsOver = facts.some((fact) => fact.kind === "hangup" && fact.leg === other);
  const rest = async () => {
    if (otherId !== null && !otherIsOver) await ctx.commands.hangUp(otherId);
    // It is unknown whether the far leg was answered. (If only the browser's leg ended, the far leg's hang-up follows.)
    if (needsProof && leg === "far" && !isFinal(call.status)) await checkCall(ctx, call, new SilentExchanges());
  };
  rest().catch((error: unknown) => ctx.log.warn({ err: error, call: call.id }, "follow-up of a hang-up failed"));
}
