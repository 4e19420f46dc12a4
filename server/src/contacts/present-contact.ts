import type { Contact } from "@farline/contract/contacts.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { isRefusedDestination } from "@farline/domain/numbers/destination-kind.ts";
import { rateToDecimalString } from "@farline/domain/money.ts";
import { normalizeNumber } from "@farline/domain/numbers/phone-number.ts";
import type { RateQuote, Rates } from "../rates/rates.ts";
import { fullNameOf } from "./contact-facts.ts";
import type { ContactRow } from "./contacts.tables.ts";

/** A contact as its customer sees it, with what a call costs now. */
export function presentContact(row: ContactRow, rates: Pick<Rates, "quote">): Contact {
  const quote = rates.quote(row.phone_number);
  const countryCode = quote?.countryCode ?? row.country_code;
  return {
    id: row.id,
    first_name: row.first_name,
    last_name: row.last_name,
    full_name: fullNameOf(row),
    company: row.company,
    email: row.email,
    phone_number: row.phone_number,
    phone_number_type: row.phone_number_type,
    notes: row.notes,
    favorite: row.favorite,
    country_code: countryCode,
    country_name: countryByCode(countryCode)?.name ?? countryCode,
    rate_per_minute: priceOf(row.phone_number, quote),
  };
}

/** Null where a call would be refused. */
function priceOf(e164: string, quote: RateQuote | null): string | null {
  const number = normalizeNumber(e164, null);
  if (quote === null || quote.ratePerMinuteMicros <= 0n || !number.ok || isRefusedDestination(number, quote)) return null;
  return rateToDecimalString(quote.ratePerMinuteMicros);
}
