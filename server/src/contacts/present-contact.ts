import type { Contact, ContactNumber } from "@farline/contract/contacts.ts";
import { clocksOf, clockOfNumber } from "@farline/domain/countries/clocks.ts";
import { mapDetails } from "@farline/domain/contacts/contact-details.ts";
import { englishNameOf } from "@farline/domain/countries/countries.ts";
import { isRefusedDestination } from "@farline/domain/numbers/destination-kind.ts";
import { rateToDecimalString } from "@farline/domain/money.ts";
import { normalizeNumber } from "@farline/domain/numbers/phone-number.ts";
import type { Buyer, RateQuote } from "../rates/rates.ts";
import { fullNameOf } from "./contact-facts.ts";
import type { ContactRow, NumberFacts } from "./contacts.tables.ts";
import type { Rates } from "../context.ts";

/** A contact for its customer, with what calls cost this customer now. */
export function presentContact(row: ContactRow, customer: Buyer, rates: Rates): Contact {
  const [main, ...others] = row.numbers;
  return {
    id: row.id,
    first_name: row.first_name,
    last_name: row.last_name,
    full_name: fullNameOf(row),
    ...mapDetails((detail) => row[detail]),
    email: row.email,
    ...presentNumber(main, customer, rates),
    other_numbers: others.map((number) => presentNumber(number, customer, rates)),
    notes: row.notes,
    favorite: row.favorite,
    time_zone: clockOf(row),
  };
}

/** The clock of a contact's main number: the chosen one, else the one that its digits tell; null if it can be one of several. */
export function clockOf({ numbers: [main], time_zone: chosen }: Pick<ContactRow, "numbers" | "time_zone">): string | null {
  if (chosen !== null && clocksOf(main.country_code).includes(chosen)) return chosen;
  return clockOfNumber(main.phone_number, main.country_code);
}

function presentNumber(number: NumberFacts, customer: Buyer, rates: Rates): ContactNumber {
  const quote = rates.quote(number.phone_number, customer);
  const countryCode = quote?.countryCode ?? number.country_code;
  return {
    phone_number: number.phone_number,
    extension: number.extension,
    phone_number_type: number.phone_number_type,
    country_code: countryCode,
    country_name: englishNameOf(countryCode),
    ...priceOf(number.phone_number, quote),
  };
}

const NO_PRICE = { rate_per_minute: null, first_interval_s: null, next_interval_s: null };

/** Without a price if a call would be refused. */
function priceOf(e164: string, quote: RateQuote | null): Pick<ContactNumber, keyof typeof NO_PRICE> {
  const number = normalizeNumber(e164, null);
  if (quote === null || !number.ok || isRefusedDestination(number, quote)) return NO_PRICE;
  return {
    rate_per_minute: rateToDecimalString(quote.ratePerMinuteMicros),
    first_interval_s: quote.firstIntervalSeconds,
    next_interval_s: quote.nextIntervalSeconds,
  };
}
