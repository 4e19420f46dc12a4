import { MARK_UP } from "@farline/domain/business/mark-up.ts";
import { countries } from "@farline/domain/countries/countries.ts";
import { DeckRows, type DeckRow } from "@farline/domain/rates/deck-rows.ts";
import { buildRateTable, matchPrefix, type RateTable } from "@farline/domain/rates/rating.ts";
import { readSampleDeck } from "../../rates/rates.ts";

/** A number range of the numbering plans. */
export type PlanRange = Pick<DeckRow, "prefix" | "description" | "countryCode" | "numberType">;

/** All calling codes, as text for look-ups by leading digits. */
const CALLING_CODES: ReadonlySet<string> = new Set(
  countries.flatMap((country) => country.dialCodes).filter((code) => code !== ""),
);
export const LONGEST_CALLING_CODE = Math.max(...[...CALLING_CODES].map((code) => code.length));

/** The calling code that a prefix begins with; null if there is none, or the prefix is only a part of one. */
export function callingCodeOf(prefix: string): string | null {
  for (let length = 1; length <= LONGEST_CALLING_CODE && length <= prefix.length; length++)
    if (CALLING_CODES.has(prefix.slice(0, length))) return prefix.slice(0, length);
  return null;
}

export function isCallingCode(digits: string): boolean {
  return CALLING_CODES.has(digits);
}

/** Types of ordinary numbers, unlike services. */
const PERSONAL: ReadonlySet<string> = new Set(["mobile", "landline", "fixed_or_mobile"]);

let plan: Promise<NumberingPlan> | undefined;

/** The plan of the sample deck, which has the ranges of all countries. It is part of the release, so it is read once. */
export function numberingPlan(): Promise<NumberingPlan> {
  plan ??= readSampleDeck(MARK_UP).then((rows) => new NumberingPlan(rows));
  return plan;
}

/** The country and type of every number range. */
export class NumberingPlan {
  readonly ranges: ReadonlyMap<string, PlanRange>;
  readonly #table: RateTable;
  readonly #prefixes: readonly string[];
  readonly #countries: ReadonlySet<string>;
  readonly #keepZero: ReadonlySet<string>;
  readonly #within = new Map<string, ReadonlySet<string>>();

  /** @param rows a deck with the ranges of all countries, such as the sample deck */
  constructor(rows: readonly DeckRow[]) {
    this.ranges = new Map(rows.map((row) => [row.prefix, row]));
    this.#table = buildRateTable(DeckRows.from(rows));
    this.#prefixes = [...this.ranges.keys()].toSorted();
    this.#countries = new Set(rows.map((row) => row.countryCode));
    this.#keepZero = new Set(
      rows.flatMap(({ prefix, numberType }) => {
        const calling = callingCodeOf(prefix);
        return calling !== null && prefix[calling.length] === "0" && PERSONAL.has(numberType) ? [calling] : [];
      }),
    );
  }

  /** The range that contains a prefix, or null. */
  at(prefix: string): PlanRange | null {
    return matchPrefix(this.#table, prefix);
  }

  /** Whether a country has ranges of its own. */
  hasCountry(iso2: string): boolean {
    return this.#countries.has(iso2);
  }

  /** Whether a number range begins with a prefix. */
  hasRangeWithin(prefix: string): boolean {
    return this.#prefixes[this.#firstFrom(prefix)]?.startsWith(prefix) === true;
  }

  /** Whether people's numbers keep the zero after the calling code, as in Italy. */
  hasZeroAfter(callingCode: string): boolean {
    return this.#keepZero.has(callingCode);
  }

  /** The countries of all numbers that begin with a prefix. */
  countriesIn(prefix: string): ReadonlySet<string> {
    const known = this.#within.get(prefix);
    if (known !== undefined) return known;
    const around = this.at(prefix);
    const found = new Set(around === null ? [] : [around.countryCode]);
    for (let at = this.#firstFrom(prefix); this.#prefixes[at]?.startsWith(prefix) === true; at++) {
      const range = this.ranges.get(this.#prefixes[at] as string);
      if (range !== undefined) found.add(range.countryCode);
    }
    // There are many longer prefixes, which are fast to search.
    if (prefix.length <= LONGEST_CALLING_CODE) this.#within.set(prefix, found);
    return found;
  }

  #firstFrom(prefix: string): number {
    let [low, high] = [0, this.#prefixes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#prefixes[middle] as string) < prefix) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
