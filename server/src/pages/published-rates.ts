import type {
  ComparedCountry,
  CountryPrices,
  NetworkPrice,
  PriceHistory,
  PriceRange,
  PublicRates,
} from "@farline/contract/public-pages.ts";
import type { CountrySummary, NumberType } from "@farline/contract/rates.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { exampleNumber } from "@farline/domain/numbers/example-number.ts";
import { rateToDecimalString } from "@farline/domain/money.ts";
import type { DeckRow } from "@farline/domain/rates/deck-rows.ts";
import { timeZoneOf } from "@farline/domain/countries/time-zones.ts";
import type { Rates } from "../context.ts";

type Deck = NonNullable<ReturnType<Rates["published"]>>;

/** The most common number types come first. */
const TYPE_ORDER: readonly string[] = ["mobile", "fixed_or_mobile", "landline"];

const slugsOf = new WeakMap<Deck["priceList"], ReadonlyMap<string, CountrySummary>>();

/** A deck's data for the landing page and the rates page. */
export function publicRates(deck: Deck): PublicRates {
  return {
    effectiveAt: deck.effectiveAt.toISOString(),
    rates: deck.priceList.rates,
    countries: deck.priceList.summaries,
  };
}

/** The countries of a deck by their page's slug. */
export function countriesBySlug({ priceList }: Pick<Deck, "priceList">): ReadonlyMap<string, CountrySummary> {
  const known = slugsOf.get(priceList);
  if (known !== undefined) return known;
  const slugs = new Map(priceList.summaries.map((summary) => [summary.slug, summary]));
  slugsOf.set(priceList, slugs);
  return slugs;
}

/** The data of a country's page. */
export function countryPrices(deck: Deck, summary: CountrySummary, history: PriceHistory | null): CountryPrices {
  const code = summary.country_code;
  return {
    effectiveAt: deck.effectiveAt.toISOString(),
    countryCode: code,
    name: summary.country_name,
    dialCode: countryByCode(code)?.dialCode ?? "",
    timeZone: timeZoneOf(code),
    example: exampleNumber(code),
    usual: { mobile: deck.priceList.usualRate(code, "mobile"), landline: deck.priceList.usualRate(code, "landline") },
    prices: groupByNetwork(deck.priceList.rowsOf(code)),
    history,
  };
}

/** A country beside another one. */
export function comparedCountry({ priceList }: Deck, summary: CountrySummary): ComparedCountry {
  const rows = priceList.rowsOf(summary.country_code);
  return {
    summary,
    dialCode: countryByCode(summary.country_code)?.dialCode ?? "",
    ranges: { mobile: rangeOf(rows, "mobile"), landline: rangeOf(rows, "landline") },
  };
}

function rangeOf(rows: readonly DeckRow[], type: "mobile" | "landline"): PriceRange | null {
  const prices = rows
    .filter(({ numberType }) => numberType === type || numberType === "fixed_or_mobile")
    .map((row) => row.ratePerMinuteMicros)
    .toSorted((a, b) => (a < b ? -1 : 1));
  const [lowest, highest] = [prices[0], prices.at(-1)];
  if (lowest === undefined || highest === undefined) return null;
  return { lowest: rateToDecimalString(lowest), highest: rateToDecimalString(highest) };
}

/** One entry for all prefixes that share name, type, price and increment. */
function groupByNetwork(rows: readonly DeckRow[]): readonly NetworkPrice[] {
  const groups = Map.groupBy(rows, (row) =>
    [row.description, row.numberType, row.ratePerMinuteMicros, row.firstIntervalSeconds, row.nextIntervalSeconds].join("|"),
  );
  const prices = [...groups.values()].flatMap((group): readonly NetworkPrice[] => {
    const [row] = group;
    if (row === undefined) return [];
    return [
      {
        description: row.description,
        numberType: row.numberType as NumberType,
        ratePerMinute: rateToDecimalString(row.ratePerMinuteMicros),
        firstIntervalSeconds: row.firstIntervalSeconds,
        nextIntervalSeconds: row.nextIntervalSeconds,
        prefixes: group.map(({ prefix }) => prefix).toSorted(),
      },
    ];
  });
  const place = ({ numberType }: NetworkPrice) =>
    (TYPE_ORDER.indexOf(numberType) + TYPE_ORDER.length + 1) % (TYPE_ORDER.length + 1);
  return prices.toSorted((a, b) => place(a) - place(b) || a.description.localeCompare(b.description, "en"));
}
