import { isFinal } from "@farline/domain/calls/call-state.ts";
import { formatInternational } from "@farline/domain/numbers/phone-number.ts";
import { uuidv7 } from "uuidv7";
import type { CallParts } from "../call-parts.ts";
import { priceOf } from "../authorise/call-price.ts";
import { lockCall, updateCall } from "../call.store.ts";
import type { CallRow } from "../calls.tables.ts";
import type { Outcome } from "./derive-outcome.ts";
import { settleCalls, type Settlement } from "../authorise/grouped-calls.store.ts";
import { grouped } from "../../platform/database/grouped.ts";

/** Statements at once that settle several calls each. */
const LANES = 2;
const MOST_IN_GROUP = 50;
const MOST_WAITING = 5_000;

/** Charges a call that is over, or releases its hold, and writes its final record: all or nothing, and only once. */
export type SettleCall = (call: CallRow, outcome: Outcome) => Promise<CallRow>;

/** Calls that end at the same moment are settled together. */
export function createSettleCall(parts: Pick<CallParts, "handle" | "ledger">): SettleCall {
  const settle = grouped<Settlement, CallRow | "settled">({
    lanes: LANES,
    mostInGroup: MOST_IN_GROUP,
    mostWaiting: MOST_WAITING,
    keyOf: ({ callId }) => callId,
    async together(settlements) {
      const ids = await settleCalls(parts.handle, settlements);
      return new Map([...ids].map((id) => [id, "settled"]));
    },
    alone: (settlement) => settleAlone(parts, settlement),
  });
  return async (call, outcome) => {
    const settlement = settlementOf(call, outcome);
    const answer = await settle(settlement);
    return answer === "settled" ? { ...call, ...finalRecord(settlement) } : answer;
  };
}

function finalRecord(s: Settlement) {
  return {
    status: s.status,
    end_reason: s.endReason,
    answered_at: s.answeredAt,
    ended_at: s.endedAt,
    duration_ms: s.durationMs,
    billed_seconds: s.billedSeconds,
    charge_micros: s.chargeMicros,
    next_check_at: null,
  };
}

function settlementOf(call: CallRow, { status, end, answeredAtMs }: Outcome): Settlement {
  if (end === null || (status !== "completed" && status !== "failed")) throw new Error("Only a call that is over is settled.");
  const price = priceOf(call, end.durationMs);
  return {
    transactionId: uuidv7(),
    callId: call.id,
    status,
    endReason: end.reason,
    answeredAt: answeredAtMs === null ? null : new Date(answeredAtMs),
    endedAt: new Date(end.atMs),
    durationMs: end.durationMs,
    billedSeconds: price.billedSeconds,
    chargeMicros: price.chargeMicros,
    description: `Call to ${formatInternational(call.destination)}`,
  };
}

/** Waits for whoever has the call or its account locked. */
async function settleAlone(parts: Pick<CallParts, "handle" | "ledger">, s: Settlement): Promise<CallRow> {
  return parts.handle.db.transaction().execute(async (tx) => {
    const call = await lockCall(tx, s.callId);
    if (call === undefined) throw new Error(`There is no call ${s.callId} to settle.`);
    if (isFinal(call.status)) return call;
    if (s.chargeMicros > 0n)
      await parts.ledger.postHold(tx, { holdId: s.callId, chargeMicros: s.chargeMicros, description: s.description });
    else await parts.ledger.voidHold(tx, s.callId);
    return updateCall(tx, s.callId, finalRecord(s));
  });
}
