import type { Live } from "../../live/live.ts";
import type { CallRow } from "./calls.tables.ts";

/**
 * Tells the customer's open pages that a call changed. Call it after the commit.
 * @param what `money`: the hold changed too; `charge`: the account may have a new entry as well
 */
export function publishCall(live: Live, call: CallRow, what: "state" | "money" | "charge"): void {
  live.publish(call.customer_id, { type: "call", id: call.id, status: call.status });
  if (what !== "state") live.publish(call.customer_id, { type: "balance" });
  if (what === "charge") live.publish(call.customer_id, { type: "transactions" });
}
