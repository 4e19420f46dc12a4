import { formatDollars } from "@farline/domain/money.ts";
import type { DeckReport } from "../import-deck.ts";
import type { CountryTraffic, Directions } from "../rate-traffic.ts";

const SECONDS_PER_MINUTE = 60;
const ONE_CENT = 10_000n;

/** What the calls of the last 30 days would cost and bring in, as sentences. */
export function moneyLines({ trunk, current, comparison: { traffic } }: DeckReport): string[] {
  const over = trunk === null ? "" : " over this trunk";
  if (traffic.calls === 0) return [`No calls were answered${over} in the last 30 days, so the change in money is unknown.`];
  const { before, after, cost, sale } = traffic;
  const lines = [
    `Calls answered${over} in the last 30 days: ${traffic.calls}, ${minutesOf(traffic.seconds)} minutes. At the new prices they cost ` +
      `$${shortDollars(after.costMicros)} and bring in $${shortDollars(after.saleMicros)}.`,
  ];
  if (current !== null)
    lines.push(
      `At the present prices they cost $${shortDollars(before.costMicros)} and bring in $${shortDollars(before.saleMicros)}.`,
      `Cost: ${describe(cost)}. Customers pay: ${describe(sale)}.`,
    );
  if (traffic.lost > 0) lines.push(`${traffic.lost} of these calls would no longer have a price.`);
  if (traffic.gained > 0 && current !== null) lines.push(`${traffic.gained} of these calls have a price only in the new list.`);
  return lines;
}

/** The countries where what calls cost or bring in changes, the largest change first. */
export function changedCountries({ comparison: { traffic } }: DeckReport): CountryTraffic[] {
  return traffic.countries.filter(
    ({ before, after, lost, gained }) =>
      before.costMicros !== after.costMicros || before.saleMicros !== after.saleMicros || lost + gained > 0,
  );
}

export function minutesOf(seconds: number): number {
  return Math.ceil(seconds / SECONDS_PER_MINUTE);
}

/** Dollars with two decimals, or six for less than a cent. */
export function shortDollars(micros: bigint): string {
  return formatDollars(micros, micros !== 0n && micros < ONE_CENT ? 6 : 2);
}

function describe({ moreMicros, lessMicros }: Directions): string {
  if (moreMicros === 0n && lessMicros === 0n) return "no change";
  const parts = [
    ...(moreMicros > 0n ? [`$${shortDollars(moreMicros)} more`] : []),
    ...(lessMicros > 0n ? [`$${shortDollars(lessMicros)} less`] : []),
  ];
  return parts.join(" in some countries, ") + (parts.length > 1 ? " in others" : "");
}
