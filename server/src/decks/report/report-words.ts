import type { RowProblem, RowSkip } from "../file/read-deck-row.ts";
import type { SideRow } from "../file/notices.ts";

/** Why a row cannot be used, for operators. */
export const PROBLEMS: Readonly<Record<RowProblem, string>> = {
  prefix_missing: "no prefix",
  prefix_scientific: "a spreadsheet has shortened the prefix: format the column as text and export again",
  prefix_form: "not a prefix: digits of E.164 numbers, lists, or ranges of equal length",
  prefix_range: "a range of more than 10,000 numbers",
  prefix_unclear: "a list, or a country code and the rest of a number? Separate prefixes by commas, each with its country code",
  prefix_zero: "begins with a trunk prefix (0), which is not dialled from abroad: correct it to 4420, for example",
  calling_code_missing: "no country code: if its cell was merged with the one above, fill it in",
  prefix_split: "begins with the country code in the other column, unlike other rows: is it part of the prefix?",
  notice_unclear: "a notice that is not understood and may change prices: read it, and leave the line out if it does not",
  list_later: "the list begins later than this deck, by this notice: import it for that time",
  flag_unknown: "a flag, a status or a change in words that are not known to mean that calls are sold",
  conditional: "not an ordinary price: a surcharge, for some caller numbers or times, incoming, or for one number alone",
  unit: "not per minute",
  row_longer: "more cells than the header",
  prefix_twice: "the prefix has another price already",
  price_missing: "no price",
  price_form: "not a price",
  price_zero: "the price is 0",
  price_too_high: "more than $50 a minute",
  currency: "not in US dollars",
  two_prices: "the first minute has another price",
  price_per_call: "a price for each call, which we cannot charge",
  increments_missing: "no increments: give them for all rows",
  increments_form: "not increments such as 60/1",
  increments_unclear: "the first block is shorter than the others: which is first?",
  iso_form: "not a country code of two letters",
  date_form: "not a date",
  date_unclear: "the date may mean two days: say which of its numbers is the day",
  date_far: "a date more than two years ahead, which may be a typing error or another calendar's",
  date_missing: "no date below a row that begins later: if its cell was merged, fill it in",
  country_unknown: "the numbering plans have no such numbers, or the country is not told",
  country_differs: "the country's numbers do not begin so: compare prefix, country and description",
};

/** Rows that are left out; their number follows. */
export const SKIPPED: Readonly<Record<RowSkip | SideRow, string>> = {
  other_caller_numbers: "Rows for other caller numbers",
  closed: "Rows that are closed or forbidden",
  on_request: "Rows left out as asked",
  notice: "Notices",
  total: "Totals",
  repeated_header: "Repeated headers",
};

/** What the word that makes a row bad stands for. */
const WORD_OF: Readonly<Partial<Record<RowProblem, string>>> = {
  price_missing: "price",
  price_form: "price",
  price_zero: "price",
  price_too_high: "price",
  two_prices: "price of further minutes",
  price_per_call: "price for each call",
  currency: "currency",
  increments_missing: "increment",
  increments_form: "increment",
  increments_unclear: "increment",
  iso_form: "country code",
  date_form: "date",
  date_unclear: "date",
  date_far: "date",
  country_unknown: "country",
  country_differs: "country",
};

/** Bad rows with the same word, as a phrase: `1,204 rows whose price is "closed"`. */
export function wordText(problem: RowProblem, word: string, rows: number): string {
  const what = `${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"} whose ${WORD_OF[problem] ?? "value"} is`;
  return word === "" ? `${what} empty` : `${what} "${word}"`;
}
