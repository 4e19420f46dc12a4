import { isFinal } from "@farline/domain/calls/call-state.ts";
import type { Micros } from "@farline/domain/money.ts";
import type { Tx } from "../../platform/database/database.ts";
import { priceOf } from "../record/call-price.ts";
import { findLiveCall } from "../record/call.store.ts";

/** What the customer's running call would be charged if it ended now; 0 without a connected call. */
export async function runningCharge(tx: Tx, customerId: string, now: Date): Promise<Micros> {
  const call = await findLiveCall(tx, customerId);
  if (call === undefined || isFinal(call.status) || call.answered_at === null) return 0n;
  return priceOf(call, Math.max(0, now.getTime() - call.answered_at.getTime())).chargeMicros;
}
