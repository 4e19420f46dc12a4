import type { ExtendResponse } from "@farline/contract/calls.ts";
import { isFinal } from "@farline/domain/calls/call-state.ts";
import type { Micros } from "@farline/domain/money.ts";
import { decideExtension } from "@farline/domain/calls/decide-call.ts";
import { lockCaller } from "../authorise/callers.store.ts";
import { readSpendingTerms } from "../record/proposed-call.ts";
import type { CallContext } from "../call-context.ts";
import { aboutCall } from "../../platform/log.ts";
import type { Tx } from "../../platform/database/database.ts";
import { maxSecondsOf, paidSecondsOf, priceOf, rateOf } from "../record/call-price.ts";
import { lockCall } from "../record/call.store.ts";
import { findConnectedCalls, findExtendableCalls, markNotExtendable, raiseLimit, saveGrownHold } from "./live-call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { shownBound, publishCall } from "../record/present-call.ts";

/** A call after an attempt to extend it. */
interface ExtensionResult {
  readonly call: CallRow;
  readonly outcome: ExtendResponse["outcome"];
}

/**
 * Holds the available credit for a running call, within its limits, then raises the limit at the provider. The hold grows first,
 * so that it always pays for the provider's limit; the stored limit is raised last. Safe to repeat after a crash.
 */
export async function extendCall(ctx: CallContext, running: CallRow): Promise<ExtensionResult> {
  if (isFinal(running.status) || !running.extendable || running.far_call_control_id === null)
    return { call: running, outcome: "not_possible" };
  const grown = await growHold(ctx, running);
  const seconds = paidSecondsOf(grown);
  if (isFinal(grown.status)) return { call: grown, outcome: "not_possible" };
  const after = await raiseAtProvider(ctx, grown, { callControlId: running.far_call_control_id, seconds });
  const moneyMoved = grown.held_micros !== running.held_micros;
  if (moneyMoved || after.outcome === "extended") publishCall(ctx.live, after.call, moneyMoved ? "money" : "state");
  return after;
}

/** Raises the hold to the available credit, within the call's limits. Locks the call and the account. */
async function growHold(ctx: CallContext, running: CallRow): Promise<CallRow> {
  const terms = await readSpendingTerms(ctx, running);
  return ctx.transaction(async (tx) => {
    const call = await lockCall(tx, running.id);
    if (call === undefined) throw new Error("The call to extend does not exist.");
    if (isFinal(call.status)) return call;
    const { destination, country_code: countryCode, held_micros: heldMicros } = call;
    const proposed = { at: ctx.clock.now(), destination, countryCode, limits: terms.limits };
    const query = {
      customerId: call.customer_id,
      payerId: call.payer_id,
      proposed,
      idempotencyKey: null,
      excludedCallId: call.id,
    };
    const { counters } = await lockCaller(tx, query);
    const { holdMicros, boundedBy } = decideExtension(
      { ...terms, isOnFamilyCredit: call.payer_id !== null, rate: rateOf(call), capSeconds: call.cap_seconds, heldMicros },
      { ...counters, heldMicros: counters.heldMicros - heldMicros },
    );
    if (holdMicros > heldMicros) await ctx.ledger.extendHold(tx, { holdId: call.id, wantMicros: holdMicros });
    return saveGrownHold(tx, call.id, { heldMicros: holdMicros, boundedBy, limitSeconds: maxSecondsOf(running) });
  });
}

async function raiseAtProvider(
  ctx: CallContext,
  grown: CallRow,
  limit: { callControlId: string; seconds: number },
): Promise<ExtensionResult> {
  const { callControlId, seconds } = limit;
  if (seconds <= maxSecondsOf(grown)) return { call: grown, outcome: boundOf(grown) };
  if (!(await ctx.connection.has("extend"))) return extendWithinMargin(ctx, grown, seconds);
  const answer = await ctx.commands.extend(callControlId, { maxSeconds: seconds, farLegMark: ctx.secrets.farLegMark(grown) });
  return answer === "accepted" ? extended(ctx, grown, seconds) : { call: grown, outcome: "not_possible" };
}

/** For a provider that cannot raise its limit: the service ends the call at its own limit, which grows up to the provider's. */
async function extendWithinMargin(ctx: CallContext, grown: CallRow, paidSeconds: number): Promise<ExtensionResult> {
  const seconds = Math.min(paidSeconds, grown.provider_seconds ?? 0);
  if (seconds <= maxSecondsOf(grown)) {
    const call = await markNotExtendable(ctx.handle.db, grown.id);
    ctx.log.warn({ call: call.id }, "the voice provider cannot raise the limit of running calls");
    return { call, outcome: "not_possible" };
  }
  return extended(ctx, grown, seconds);
}

async function extended(ctx: CallContext, grown: CallRow, seconds: number): Promise<ExtensionResult> {
  const call = await raiseLimit(ctx.handle.db, grown.id, seconds);
  ctx.log.info({ call: call.id, seconds, held_micros: String(call.held_micros) }, "call extended");
  return { call, outcome: "extended" };
}

/** Extends the running calls that the customer pays after credit was added, the oldest first. */
export async function extendByCredit(ctx: CallContext, customerId: string): Promise<void> {
  for (const call of await findExtendableCalls(ctx.handle.db, customerId))
    await aboutCall(call, () => extendIfWorthIt(ctx, call));
}

/**
 * Runs `extendCall` if the call is limited by its credit and more is available, or if the limit lags behind the hold.
 * @returns the call afterwards
 */
export async function extendIfWorthIt(ctx: CallContext, call: CallRow): Promise<CallRow> {
  if (!call.extendable || call.far_call_control_id === null || call.hangup_requested_at !== null) return call;
  const isBehind = maxSecondsOf(call) < paidSecondsOf(call);
  if (!isBehind && call.bounded_by !== "credit") return call;
  if (!isBehind && (await ctx.ledger.balance(ctx.handle.db, call.payer_id ?? call.customer_id)).availableMicros === 0n)
    return call;
  return (await extendCall(ctx, call)).call;
}

function boundOf(call: CallRow): ExtensionResult["outcome"] {
  const bound = shownBound(call);
  return bound === "credit" ? "no_credit" : bound;
}

/** What the connected calls that the customer pays would be charged if they ended now: own ones, and those of a family's members. */
export async function runningCharge(tx: Tx, customerId: string, now: Date): Promise<Micros> {
  const calls = await findConnectedCalls(tx, customerId);
  return calls.reduce((sum, call) => sum + chargeSoFar(call, now), 0n);
}

function chargeSoFar(call: CallRow, now: Date): Micros {
  if (isFinal(call.status) || call.answered_at === null) return 0n;
  return priceOf(call, Math.max(0, now.getTime() - call.answered_at.getTime())).chargeMicros;
}
