import type { Call } from "@farline/contract/calls.ts";
import { DECISION_INPUTS } from "@farline/contract/operator/calls.ts";
import type { NumberType } from "@farline/contract/rates.ts";
import { fromDecimalString, MICROS_PER_DOLLAR } from "@farline/domain/money.ts";
import { englishNameOf } from "@farline/domain/countries/countries.ts";
import { sql } from "kysely";
import { namedInputs, seenBy } from "./call-columns.ts";
import { maxSecondsOf } from "./call-price.ts";
import type { CallRow } from "./calls.tables.ts";
import type { Live } from "../../context.ts";

/** A call as its customer sees it. @param contactName name of the contact with the called number, or null */
export function presentCall(call: CallRow, contactName: string | null = null): Call {
  return {
    ...seenBy("caller", call),
    destination_country_name: englishNameOf(call.country_code),
    number_type: call.number_type as NumberType,
    duration_seconds: Math.ceil(call.duration_ms / 1000),
    silence: call.silent_ms === 0 ? null : { seconds: Math.ceil(call.silent_ms / 1000), is_free: call.forgiven_micros !== null },
    max_seconds: maxSecondsOf(call),
    bounded_by: shownBound(call),
    ...freeUpTo(call),
    contact_name: contactName,
    telnyx_call_leg_id: call.parked_leg_id ?? call.client_leg_id,
  };
}

/** What the first-call credit paid at most. Bonus is spent first, so a call that cost no more was free. */
function freeUpTo(call: CallRow): Pick<Call, "free_up_to"> {
  const granted = call.payer_id === null ? namedInputs(call)?.first_call_left : null;
  return typeof granted === "string" && fromDecimalString(granted) > 0n ? { free_up_to: granted } : {};
}

/** What the caller paid for a call, in sums over `call`: nothing for one that was free, by the rule of `freeUpTo`. */
export const PAID_MICROS = sql<bigint>`
  case when payer_id is null
    and charge_micros <= coalesce((decided_by->>${sql.lit(DECISION_INPUTS.indexOf("first_call_left"))})::numeric, 0) * ${sql.lit(Number(MICROS_PER_DOLLAR))}
  then 0 else charge_micros end`;

/** What limits the call, as its caller may know it: a family's owner has limits of their own. */
export function shownBound({ bounded_by: bound, payer_id: payerId }: CallRow): NonNullable<Call["bounded_by"]> {
  if (bound === "spend_limit") return "longest_call";
  return payerId !== null && (bound === "call_cap" || bound === "daily_cap") ? "family_limit" : bound;
}

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
