import type { ExtendResponse } from "@farline/contract/calls.ts";
import { isFinal } from "@farline/domain/calls/call-state.ts";
import { decideExtension } from "@farline/domain/calls/decide-call.ts";
import { lockCaller } from "../authorise/callers.store.ts";
import { readSpendingTerms } from "../authorise/wanted-call.ts";
import type { CallMachinery } from "../call-machinery.ts";
import { maxSecondsOf, paidSecondsOf, rateOf } from "../authorise/call-price.ts";
import { lockCall } from "../call.store.ts";
import { findExtendableCall, markNotExtendable, raiseLimit, saveGrownHold } from "./extend-call.store.ts";
import type { CallRow } from "../calls.tables.ts";
import { tellOfCall } from "./tell-of-call.ts";

/** A call after a try to make it longer. */
export interface Extended {
  readonly call: CallRow;
  readonly outcome: ExtendResponse["outcome"];
}

/**
 * Sets aside what credit there is now for a running call, within all that bounds it, and then has the provider raise its
 * limit. The limit at the provider is never beyond what the hold pays for: the hold grows first, and the call's own limit
 * only once the provider has said yes. Safe to repeat, also after a crash in between.
 */
export async function extendCall(m: CallMachinery, running: CallRow): Promise<Extended> {
  if (isFinal(running.status) || !running.extendable || running.far_call_control_id === null)
    return { call: running, outcome: "not_possible" };
  const grown = await growHold(m, running);
  const seconds = paidSecondsOf(grown);
  if (isFinal(grown.status)) return { call: grown, outcome: "not_possible" };
  const extended = await raiseAtProvider(m, grown, { callControlId: running.far_call_control_id, seconds });
  const moneyMoved = grown.held_micros !== running.held_micros;
  if (moneyMoved || extended.outcome === "extended") tellOfCall(m.live, extended.call, moneyMoved ? "money" : "state");
  return extended;
}

/** Holds what credit there is now within the bounds of the call, under the locks of call and account. */
async function growHold(m: CallMachinery, running: CallRow): Promise<CallRow> {
  const terms = await readSpendingTerms(m, running);
  return m.handle.db.transaction().execute(async (tx) => {
    const call = await lockCall(tx, running.id);
    if (call === undefined) throw new Error("There is no such call to extend.");
    if (isFinal(call.status)) return call;
    const { destination, country_code: countryCode, held_micros: heldMicros } = call;
    const wanted = { at: m.clock.now(), destination, countryCode, limits: terms.limits };
    const query = { customerId: call.customer_id, wanted, idempotencyKey: null, without: call.id };
    const { counters } = await lockCaller(tx, query);
    const { holdMicros, boundedBy } = decideExtension(
      { ...terms, rate: rateOf(call), capSeconds: call.cap_seconds, heldMicros },
      { ...counters, heldMicros: counters.heldMicros - heldMicros },
    );
    if (holdMicros > heldMicros) await m.ledger.extendHold(tx, { holdId: call.id, wantMicros: holdMicros });
    return saveGrownHold(tx, call.id, { heldMicros: holdMicros, boundedBy, limitSeconds: maxSecondsOf(running) });
  });
}

async function raiseAtProvider(
  m: CallMachinery,
  grown: CallRow,
  limit: { callControlId: string; seconds: number },
): Promise<Extended> {
  const { callControlId, seconds } = limit;
  if (seconds <= maxSecondsOf(grown)) return { call: grown, outcome: boundOf(grown) };
  const answer = await m.commands.extend(callControlId, seconds);
  if (answer === "not_possible") {
    const call = await markNotExtendable(m.handle.db, grown.id);
    m.log.warn({ call: call.id }, "the voice provider does not move the limits of running calls");
    return { call, outcome: "not_possible" };
  }
  if (answer !== "accepted") return { call: grown, outcome: "not_possible" };
  const call = await raiseLimit(m.handle.db, grown.id, seconds);
  m.log.info({ call: call.id, seconds, held_micros: String(call.held_micros) }, "call extended");
  return { call, outcome: "extended" };
}

/** Credit came in: the customer's running call gets what it can use of it. Others are left alone. */
export async function extendByCredit(m: CallMachinery, customerId: string): Promise<void> {
  const call = await findExtendableCall(m.handle.db, customerId);
  if (call !== undefined) await extendIfWorthIt(m, call);
}

/**
 * As `extendCall`, for a call that is bounded by its credit, when there is credit that it does not have, or the provider
 * was not told of all that it has. Answers the call as it is then.
 */
export async function extendIfWorthIt(m: CallMachinery, call: CallRow): Promise<CallRow> {
  if (!call.extendable || call.far_call_control_id === null || call.hangup_requested_at !== null) return call;
  const isBehind = maxSecondsOf(call) < paidSecondsOf(call);
  if (!isBehind && call.bounded_by !== "credit") return call;
  if (!isBehind && (await m.ledger.balance(m.handle.pool, call.customer_id)).availableMicros === 0n) return call;
  return (await extendCall(m, call)).call;
}

function boundOf(call: CallRow): Extended["outcome"] {
  if (call.bounded_by === "credit") return "no_credit";
  return call.bounded_by === "spend_limit" ? "longest_call" : call.bounded_by;
}
