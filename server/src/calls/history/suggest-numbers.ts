import type { NumberSuggestion, SuggestionsResponse } from "@farline/contract/call-history.ts";
import { searchedDigits } from "@farline/domain/numbers/searched-digits.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { contactNames, findNamedNumbers } from "../../contacts/contacts.ts";
import type { CallDependencies } from "../call-dependencies.ts";
import { readCalledNumbers, type CalledNumber } from "./history.store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const MOST_SUGGESTIONS = 6;
/** Without a search: whom one called this week. */
const RECENT_DAYS = 7;
/** A search looks at this much of the history, so that its time is bounded. */
const SEARCHED_DAYS = 365;
const SEARCHED_CALLS = 5_000;

type Dependencies = Pick<CallDependencies, "handle" | "clock">;

/**
 * The numbers that the customer may mean by what stands in the number field: those called before, then those of contacts. Without a
 * text, the numbers called in the last seven days.
 */
export async function suggestNumbers(deps: Dependencies, customer: Customer, text: string): Promise<SuggestionsResponse> {
  const { db } = deps.handle;
  const [called, ofContacts] = await Promise.all([
    calledNumbers(deps, customer, text),
    text === "" ? [] : findNamedNumbers(db, customer.id, text, MOST_SUGGESTIONS),
  ]);
  const names = await contactNames(
    db,
    customer.id,
    called.map(({ destination }) => destination),
  );
  const suggestions: NumberSuggestion[] = [
    ...called.map(({ destination, country_code }) => ({
      phone_number: destination,
      country_code,
      name: names.get(destination) ?? null,
    })),
    ...ofContacts
      .filter(({ phone_number: e164 }) => !called.some(({ destination }) => destination === e164))
      .map(({ phone_number, country_code, name }) => ({ phone_number, country_code, name })),
  ];
  return { suggestions: suggestions.slice(0, MOST_SUGGESTIONS) };
}

/** A name finds its contact's numbers anyway: the history is searched by digits only. */
async function calledNumbers({ handle, clock }: Dependencies, customer: Customer, text: string): Promise<CalledNumber[]> {
  const digits = searchedDigits(text);
  if (text !== "" && digits === null) return [];
  const days = text === "" ? RECENT_DAYS : SEARCHED_DAYS;
  const since = new Date(clock.now().getTime() - days * DAY_MS);
  return readCalledNumbers(handle.db, customer.id, { digits, since, calls: SEARCHED_CALLS, limit: MOST_SUGGESTIONS });
}
