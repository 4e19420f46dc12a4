import { DAY_MS } from "@farline/domain/durations.ts";
import type { NumberSuggestion, SuggestionsResponse } from "@farline/contract/call-history.ts";
import { searchedDigits } from "@farline/domain/numbers/searched-digits.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { contactNames, findNamedNumbers } from "../../contacts/contacts.ts";
import { readCalledNumbers, type CalledNumber } from "./history.store.ts";
import type { Context } from "../../context.ts";

const MAX_SUGGESTIONS = 6;
/** Without a search: whom one called this week. */
const RECENT_DAYS = 7;
/** A search looks at this much of the history, so that its time is bounded. */
const SEARCHED_DAYS = 365;
const SEARCHED_CALLS = 5_000;

/**
 * The numbers that the customer may mean by what stands in the number field: those called before, then those of contacts. Without a
 * text, the numbers called in the last seven days.
 */
export async function suggestNumbers(ctx: Context, customer: Customer, text: string): Promise<SuggestionsResponse> {
  const { db } = ctx.handle;
  const [called, ofContacts] = await Promise.all([
    calledNumbers(ctx, customer, text),
    text === "" ? [] : findNamedNumbers(db, customer.id, text, MAX_SUGGESTIONS),
  ]);
  const numbers: readonly Pick<NumberSuggestion, "phone_number" | "extension" | "country_code">[] = [
    ...called.map(({ destination, country_code }) => ({ phone_number: destination, extension: "", country_code })),
    ...ofContacts,
  ];
  const names = await contactNames(
    db,
    customer.id,
    numbers.map((number) => number.phone_number),
  );
  const suggestions = new Map<string, NumberSuggestion>();
  for (const { phone_number, extension, country_code } of numbers) {
    const key = phone_number + extension;
    const name = names.get(phone_number) ?? null;
    if (!suggestions.has(key)) suggestions.set(key, { phone_number, extension, country_code, name });
  }
  return { suggestions: [...suggestions.values()].slice(0, MAX_SUGGESTIONS) };
}

/** A name finds its contact's numbers anyway: the history is searched by digits only. */
async function calledNumbers({ handle, clock }: Context, customer: Customer, text: string): Promise<CalledNumber[]> {
  const digits = searchedDigits(text);
  if (text !== "" && digits === null) return [];
  const days = text === "" ? RECENT_DAYS : SEARCHED_DAYS;
  const since = new Date(clock.now().getTime() - days * DAY_MS);
  return readCalledNumbers(handle.db, customer.id, { digits, since, calls: SEARCHED_CALLS, limit: MAX_SUGGESTIONS });
}
