import type { Call } from "@farline/contract/calls.ts";
import { newPhoneCall, type DialRequest, type PhoneCall } from "../phone-state.ts";

/** The screen state for a requested call. */
export function phoneCallOf({ price, name = null }: DialRequest): PhoneCall {
  return newPhoneCall({ number: price.number, countryCode: price.country_code, name });
}

/** The screen state for a call that the service knows. */
export function callOf(record: Call, name: string | null): PhoneCall {
  return {
    ...newPhoneCall({
      number: record.destination_number,
      countryCode: record.destination_country,
      name: record.contact_name ?? name,
    }),
    callId: record.id,
    record,
  };
}
