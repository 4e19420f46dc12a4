import { englishNameOf } from "@farline/domain/countries/countries.ts";
import { formatDollars } from "@farline/domain/money.ts";
import type { Concern } from "../operator/operator.ts";
import type { DeckComparison, PriceChange } from "./compare-decks.ts";
import type { Money } from "./rate-traffic.ts";

/** Beyond these limits, which a misplaced decimal point would exceed, a second operator must confirm. */
const MAX_JUMPS_PERCENT = 5;
const LOWEST_MEDIAN = 700;
const HIGHEST_MEDIAN = 1_500;
const MAX_NAMED = 5;

/**
 * The reasons why a deck needs a second operator; none for ordinary price changes.
 * @param moves the deck compared with another
 * @param against what the other is called
 */
export function findConcerns(moves: DeckComparison, against: string): Concern[] {
  return [...priceConcerns(moves, against), ...trafficConcerns(moves)];
}

/** The same without regard to calls. */
export function priceConcerns({ jumps, slips, compared, medianRatios }: DeckComparison, against: string): Concern[] {
  const found: Concern[] = [];
  if (jumps.length * 100 > compared * MAX_JUMPS_PERCENT)
    found.push({ kind: "jumps", text: `${jumps.length} of ${compared} prices differ by more than half from ${against}.` });
  if (slips.length > 0)
    found.push({
      kind: "slips",
      text: `${slips.length} prices are less than a tenth of those in ${against}, or less than half and over 5 cents a minute lower: ${few(slips.map(nameOfChange))}.`,
    });
  for (const [kind, what] of [
    ["cost", "carrier's"],
    ["sale", "customer's"],
  ] as const) {
    const ratio = medianRatios?.[kind] ?? 1_000;
    if (ratio < LOWEST_MEDIAN || ratio > HIGHEST_MEDIAN)
      found.push({ kind: `median_${kind}`, text: `The median ${what} price is ${ratio / 1000} times that in ${against}.` });
  }
  return found;
}

function trafficConcerns({ countriesLostInUse, traffic }: DeckComparison): Concern[] {
  const found: Concern[] = [];
  if (countriesLostInUse.length > 0)
    found.push({
      kind: "countries",
      text: `Most calls of the last 30 days to these countries would have no price: ${few(countriesLostInUse.map(englishNameOf))}.`,
    });
  const losing = traffic.countries.filter(({ after }) => losesMoney(after));
  if (losesMoney(traffic.after))
    found.push({
      kind: "loss",
      text: `The calls of the last 30 days would cost ${dollars(traffic.after.costMicros)} and bring in ${dollars(traffic.after.saleMicros)}.`,
    });
  if (losing.length > 0)
    found.push({
      kind: "country_loss",
      text: `Calls to these countries would cost more than they bring in: ${few(losing.map(lossOf))}.`,
    });
  return found;
}

function losesMoney({ costMicros, saleMicros }: Money): boolean {
  return costMicros > saleMicros;
}

function lossOf({ countryCode, after }: DeckComparison["traffic"]["countries"][number]): string {
  return `${englishNameOf(countryCode)} (cost ${dollars(after.costMicros)}, sold for ${dollars(after.saleMicros)})`;
}

function nameOfChange({ prefix, description }: PriceChange): string {
  return `+${prefix} ${description}`.trim();
}

function dollars(micros: bigint): string {
  return `$${formatDollars(micros)}`;
}

function few(items: readonly string[]): string {
  const more = items.length - MAX_NAMED;
  return more > 0 ? `${items.slice(0, MAX_NAMED).join(", ")} and ${more} more` : items.join(", ");
}
