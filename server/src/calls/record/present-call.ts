import type { Call } from "@farline/contract/calls.ts";
import type { NumberType } from "@farline/contract/rates.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { rateToDecimalString, toDecimalString } from "@farline/domain/money.ts";
import { maxSecondsOf } from "./call-price.ts";
import type { CallRow } from "./calls.tables.ts";
import type { Live } from "../../context.ts";

/** A call as its customer sees it. @param contactName name of the contact with the called number, or null */
export function presentCall(call: CallRow, contactName: string | null = null): Call {
  return {
    id: call.id,
    destination_number: call.destination,
    destination_country: call.country_code,
    destination_country_name: countryByCode(call.country_code)?.name ?? call.country_code,
    number_type: call.number_type as NumberType,
    status: call.status,
    end_reason: call.end_reason,
    hung_up_by: call.hung_up_by,
    duration_seconds: Math.ceil(call.duration_ms / 1000),
    billed_seconds: call.billed_seconds,
    silence: call.silent_ms === 0 ? null : { seconds: Math.ceil(call.silent_ms / 1000), is_free: call.forgiven_micros !== null },
    cost: toDecimalString(call.charge_micros),
    rate_per_minute: rateToDecimalString(call.rate_per_minute_micros),
    first_interval_s: call.first_interval_seconds,
    next_interval_s: call.next_interval_seconds,
    rate_prefix: call.rate_prefix,
    rate_description: call.rate_description,
    deck_id: call.deck_id,
    deck_effective_at: call.deck_effective_at.toISOString(),
    max_seconds: maxSecondsOf(call),
    bounded_by: shownBound(call),
    extendable: call.extendable,
    held: toDecimalString(call.held_micros),
    contact_name: contactName,
    caller_number: call.caller_number,
    telnyx_call_control_id: call.parked_call_control_id,
    telnyx_call_leg_id: call.parked_leg_id ?? call.client_leg_id,
    telnyx_cost: call.carrier_cost_micros === null ? null : toDecimalString(call.carrier_cost_micros),
    created_at: call.created_at.toISOString(),
    started_at: call.started_at?.toISOString() ?? null,
    answered_at: call.answered_at?.toISOString() ?? null,
    ended_at: call.ended_at?.toISOString() ?? null,
  };
}

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
