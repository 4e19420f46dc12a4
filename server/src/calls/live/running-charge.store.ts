import type { Tx } from "../../platform/database/database.ts";
import { isPaidBy } from "../record/call.store.ts";
import type { CallRow } from "../record/calls.tables.ts";

/** Far more than the rules allow at once. */
const MAX_CONNECTED = 50;

/** The live calls that the customer pays and that were answered. */
export async function findConnectedCalls(tx: Tx, customerId: string): Promise<CallRow[]> {
  return tx
    .selectFrom("call")
    .selectAll()
    .where(isPaidBy(customerId))
    .where("next_check_at", "is not", null)
    .where("answered_at", "is not", null)
    .limit(MAX_CONNECTED)
    .execute();
}
