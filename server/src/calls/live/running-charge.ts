import { isFinal } from "@farline/domain/calls/call-state.ts";
import type { Micros } from "@farline/domain/money.ts";
import type { Tx } from "../../platform/database/database.ts";
import { priceOf } from "../record/call-price.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { findConnectedCalls } from "./live-call.store.ts";

/** What the connected calls that the customer pays would be charged if they ended now: own ones, and those of a family's members. */
export async function runningCharge(tx: Tx, customerId: string, now: Date): Promise<Micros> {
  const calls = await findConnectedCalls(tx, customerId);
  return calls.reduce((sum, call) => sum + chargeSoFar(call, now), 0n);
}

function chargeSoFar(call: CallRow, now: Date): Micros {
  if (isFinal(call.status) || call.answered_at === null) return 0n;
  return priceOf(call, Math.max(0, now.getTime() - call.answered_at.getTime())).chargeMicros;
}
