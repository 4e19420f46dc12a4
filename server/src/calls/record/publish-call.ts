import type { Live } from "../../live/live.ts";
import type { CallRow } from "./calls.tables.ts";

/**
 * Publishes hints to the open pages of the caller, and of the payer, that a call changed. Call it after the commit.
 * @param what `money`: the hold also changed; `charge`: the account may also have a new entry
 */
export function publishCall(live: Live, call: CallRow, what: "state" | "money" | "charge"): void {
  live.publish(call.customer_id, { type: "call", id: call.id, status: call.status });
  if (what === "state") return;
  // A member's page shows what is left of the family's credit.
  for (const id of new Set([call.customer_id, call.payer_id ?? call.customer_id])) {
    live.publish(id, { type: "balance" });
    if (what === "charge") live.publish(id, { type: "transactions" });
  }
}
