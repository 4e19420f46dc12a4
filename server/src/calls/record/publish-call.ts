import type { Live } from "../../live/live.ts";
import type { CallRow } from "./calls.tables.ts";

/**
 * Publishes hints to the customer's open pages that a call changed. Call it after the commit.
 * @param what `money`: the hold also changed; `charge`: the account may also have a new entry
 */
export function publishCall(live: Live, call: CallRow, what: "state" | "money" | "charge"): void {
  live.publish(call.customer_id, { type: "call", id: call.id, status: call.status });
  if (what !== "state") live.publish(call.customer_id, { type: "balance" });
  if (what === "charge") live.publish(call.customer_id, { type: "transactions" });
}
