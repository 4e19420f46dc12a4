import { countryByCode } from "@farline/domain/countries/countries.ts";
import { formatDollars } from "@farline/domain/money.ts";
import type { CountryTraffic, DeckReport } from "@farline/server/decks/decks.ts";

const SECONDS_PER_MINUTE = 60;
const ONE_CENT = 10_000n;

/**
 * What the calls of the last 30 days would cost and bring in: sums, then the countries whose money changes, the largest change first.
 * @param most countries to list
 */
export function moneyLines({ trunk, current, comparison: { traffic } }: DeckReport, max: number): string[] {
  const over = trunk === null ? "" : " over this trunk";
  if (traffic.calls === 0) return [`No calls were answered${over} in the last 30 days, so the change in money is unknown.`];
  const { before, after, cost, sale } = traffic;
  const lines = [
    `Calls answered${over} in the last 30 days: ${traffic.calls}, ${minutes(traffic.seconds)} minutes. At the new prices they cost ` +
      `${dollars(after.costMicros)} and bring in ${dollars(after.saleMicros)}.`,
  ];
  if (current !== null)
    lines.push(
      `At the present prices they cost ${dollars(before.costMicros)} and bring in ${dollars(before.saleMicros)}.`,
      `Cost: ${directions(cost)}. Customers pay: ${directions(sale)}.`,
    );
  if (traffic.lost > 0) lines.push(`${traffic.lost} of these calls would no longer have a price.`);
  if (traffic.gained > 0 && current !== null) lines.push(`${traffic.gained} of these calls have a price only in the new list.`);
  const changed = traffic.countries.filter((one) => changes(one));
  const more = changed.length - max;
  return [
    ...lines,
    ...changed.slice(0, max).map((one) => `  ${countryLine(one)}`),
    ...(more > 0 ? [`  … and ${more} more of ${changed.length} countries: --all lists them.`] : []),
  ];
}

function changes({ before, after, lost, gained }: CountryTraffic): boolean {
  return before.costMicros !== after.costMicros || before.saleMicros !== after.saleMicros || lost + gained > 0;
}

function countryLine({ countryCode, calls, seconds, lost, gained, before, after }: CountryTraffic): string {
  const [was, is] = [gained === calls ? "no price" : null, lost === calls ? "no price" : null];
  const change = (one: "costMicros" | "saleMicros") => `${was ?? dollars(before[one])} -> ${is ?? dollars(after[one])}`;
  const name = countryByCode(countryCode)?.name ?? countryCode;
  return `${name}: ${calls} calls, ${minutes(seconds)} minutes, cost ${change("costMicros")}, sold for ${change("saleMicros")}.`;
}

function directions({ moreMicros, lessMicros }: { moreMicros: bigint; lessMicros: bigint }): string {
  if (moreMicros === 0n && lessMicros === 0n) return "no change";
  const parts = [
    ...(moreMicros > 0n ? [`${dollars(moreMicros)} more`] : []),
    ...(lessMicros > 0n ? [`${dollars(lessMicros)} less`] : []),
  ];
  return parts.join(" in some countries, ") + (parts.length > 1 ? " in others" : "");
}

function minutes(seconds: number): number {
  return Math.ceil(seconds / SECONDS_PER_MINUTE);
}

/** Formats dollars with two decimals, or six for less than a cent. */
function dollars(micros: bigint): string {
  return `$${formatDollars(micros, micros !== 0n && micros < ONE_CENT ? 6 : 2)}`;
}
