import type { LivePublisher } from "../../live/live.ts";
import type { CallRow } from "../calls.tables.ts";

/**
 * Tells the customer's open pages that a call moved. After the commit.
 * @param what `money`: credit was set aside or released too; `charge`: and the account may have a new entry
 */
export function tellOfCall(live: LivePublisher, call: CallRow, what: "state" | "money" | "charge"): void {
  live.publish(call.customer_id, { type: "call", id: call.id, status: call.status });
  if (what !== "state") live.publish(call.customer_id, { type: "balance" });
  if (what === "charge") live.publish(call.customer_id, { type: "transactions" });
}
