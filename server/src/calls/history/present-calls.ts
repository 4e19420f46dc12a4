import type { Call } from "@farline/contract/calls.ts";
import { contactNames } from "../../contacts/contacts.ts";
import type { Tx } from "../../platform/database/database.ts";
import type { CallRow } from "../record/calls.tables.ts";
import { presentCall } from "../record/present-call.ts";

/** Calls as their customer sees them, with the current contact names. */
export async function presentCalls(tx: Tx, customerId: string, calls: readonly CallRow[]): Promise<Call[]> {
  const numbers = calls.map((call) => call.destination);
  const names = await contactNames(tx, customerId, numbers);
  return calls.map((call) => presentCall(call, names.get(call.destination) ?? null));
}

/** One call, with its contact's name. */
export async function presentNamedCall(tx: Tx, call: CallRow): Promise<Call> {
  const names = await contactNames(tx, call.customer_id, [call.destination]);
  return presentCall(call, names.get(call.destination) ?? null);
}
