import type { CallFilter } from "@farline/contract/call-history.ts";
import { callStatus, type CallStatus } from "@farline/contract/calls.ts";
import { findCountries } from "@farline/domain/countries/find-countries.ts";
import { searchedDigits } from "@farline/domain/numbers/searched-digits.ts";
import { isFinal } from "@farline/domain/calls/call-state.ts";

/** A filter on the columns of a customer's calls. Null matches all. */
export interface CallCondition {
  readonly from: Date | null;
  readonly to: Date | null;
  readonly countryCode: string | null;
  readonly statuses: readonly CallStatus[] | null;
  /** Exact numbers; an empty list matches no call. */
  readonly numbers: readonly string[] | null;
  readonly search: SearchCondition | null;
}

/** A call must match at least one of these. */
export interface SearchCondition {
  /** A part of the number, without the plus. */
  readonly digits: string | null;
  readonly countryCodes: readonly string[];
  /** Numbers of contacts with a matching name. */
  readonly numbers: readonly string[];
}

/** Looks up contacts for a filter. */
export interface ContactNumbers {
  /** E.164 numbers of one contact; empty if it is not the customer's. */
  ofContact(contactId: string): Promise<readonly string[]>;
  /** E.164 numbers of the contacts whose name contains this text. */
  ofNames(text: string): Promise<readonly string[]>;
}

const LIVE = callStatus.options.filter((status) => !isFinal(status));

/** Parses the page's filter. */
export async function callCondition(filter: CallFilter, contacts: ContactNumbers): Promise<CallCondition> {
  return {
    from: filter.from === undefined ? null : new Date(filter.from),
    to: filter.to === undefined ? null : new Date(filter.to),
    countryCode: filter.country ?? null,
    statuses: statusesOf(filter.status),
    numbers: await numbersOf(filter, contacts),
    search: filter.search === undefined || filter.search === "" ? null : await searchCondition(filter.search, contacts),
  };
}

function statusesOf(status: CallFilter["status"]): readonly CallStatus[] | null {
  if (status === undefined) return null;
  return status === "live" ? LIVE : [status];
}

async function numbersOf({ number, contact }: CallFilter, contacts: ContactNumbers): Promise<readonly string[] | null> {
  if (contact === undefined) return number === undefined ? null : [number];
  const contactNumbers = await contacts.ofContact(contact);
  return number === undefined ? contactNumbers : contactNumbers.filter((one) => one === number);
}

async function searchCondition(text: string, contacts: ContactNumbers): Promise<SearchCondition> {
  const digits = searchedDigits(text);
  const numbers = await contacts.ofNames(text);
  // "Paris" may be a contact, and "020" a part of a number.
  const isCountryOnly = digits === null && numbers.length === 0;
  return { digits, countryCodes: findCountries(text, { only: isCountryOnly ? "all" : "names" }), numbers };
}
