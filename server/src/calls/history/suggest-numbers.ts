import { DAY_MS } from "@farline/domain/durations.ts";
import type { NumberSuggestion, SuggestionsResponse } from "@farline/contract/call-history.ts";
import { searchedDigits } from "@farline/domain/numbers/searched-digits.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { contactNames, findNamedNumbers } from "../../contacts/contacts.ts";
import { readCalledNumbers, type CalledNumber } from "./history.store.ts";
import type { Context } from "../../context.ts";

const MAX_SUGGESTIONS = 6;
/** Default suggestions: numbers called this week. */
const RECENT_DAYS = 7;
/** How much of the history a search scans, which bounds its duration. */
const SEARCHED_DAYS = 365;
const SEARCHED_CALLS = 5_000;

/**
 * Suggestions for the text in the number field: matching numbers called before, then those of contacts. Without a text, the numbers
 * called in the last seven days.
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

/** Searches the history by digits only, because names are matched by the contacts. */
async function calledNumbers({ handle, clock }: Context, customer: Customer, text: string): Promise<CalledNumber[]> {
  const digits = searchedDigits(text);
  if (text !== "" && digits === null) return [];
  const days = text === "" ? RECENT_DAYS : SEARCHED_DAYS;
  const since = new Date(clock.now().getTime() - days * DAY_MS);
  return readCalledNumbers(handle.db, customer.id, { digits, since, calls: SEARCHED_CALLS, limit: MAX_SUGGESTIONS });
}
