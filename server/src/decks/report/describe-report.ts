import { countries, englishNameOf } from "@farline/domain/countries/countries.ts";
import type { DeckReport } from "../import-deck.ts";
import { SKIPPED } from "./report-words.ts";

/** Names listed in a sentence. */
const MAX_NAMED = 20;

/** What was read, how it was understood and what it would change, as sentences. */
export function summaryLines(report: DeckReport): string[] {
  const { trunk, file, built, current, comparison } = report;
  const { later, replaced } = built;
  const lines = [`${file.rowsRead} rows, ${built.rows.length} prefixes, ${countBad(report)} bad.`];
  if (file.ignored.length > 0) lines.push(`Columns not read: ${few(file.ignored)}.`);
  for (const [why, rows] of file.skipped) lines.push(`${SKIPPED[why]}: ${rows}.`);
  if (replaced > 0) lines.push(`${replaced} prefixes occur again; the latest date counts.`);
  if (later.first !== null)
    lines.push(
      `${later.rows} rows begin later, the first on ${later.first.toISOString()}, and are not in this deck; ${later.prefixes} prefixes are not sold until then.`,
    );
  lines.push(...notSold(built));
  const { added, raised, lowered, otherIncrements, unchanged, gone } = comparison;
  lines.push(
    current === null
      ? `No deck${trunk === null ? "" : " of this trunk"} is active.`
      : `Against ${current}: ${added} added, ${raised} more expensive, ${lowered} cheaper, ${otherIncrements} with different increments, ${unchanged} unchanged, ${gone} removed.`,
  );
  return lines;
}

/** What an operator should look at before the deck is active, as sentences. */
export function warningLines({ trunk, comparison: { countriesLost, withoutMargin } }: DeckReport): string[] {
  const lines: string[] = [];
  if (countriesLost.length > 0) lines.push(`Countries that lose their price: ${few(countriesLost.map(englishNameOf))}.`);
  if (withoutMargin.length > 0)
    lines.push(
      `${withoutMargin.length} prefixes are not ${trunk === null ? "sold" : "called over this trunk"}, because some calls would cost more than they bring: ${few(withoutMargin)}.`,
    );
  return lines;
}

/** How many prices change by more than half; null if none can be compared. */
export function jumpLine({ comparison: { jumps, compared, medianRatios } }: DeckReport): string | null {
  if (medianRatios === null) return null;
  return `${jumps.length} of ${compared} compared prices change by more than half; the median is ${medianRatios.cost / 1000} times the current one.`;
}

export function countBad({ file }: DeckReport): number {
  return [...file.bad.counts.values()].reduce((sum, count) => sum + count, 0);
}

/** Prefixes without a price under a shorter one with a price, and countries that cannot be called. */
function notSold({ rows, blocks, notOpen, underOthers }: DeckReport["built"]): string[] {
  const lines: string[] = [];
  if (notOpen > 0)
    lines.push(
      `${notOpen} prefixes are not sold, because they are closed, begin later or are left out: a shorter prefix does not count.`,
    );
  if (underOthers.length > 0)
    lines.push(
      `${blocks.length - notOpen} prefixes of ${underOthers.length} countries are not sold: only rows of other countries cover them. ` +
        `${few(underOthers.map(({ countryCode, prefix, line }) => `${englishNameOf(countryCode)} (+${prefix}, under line ${line})`))}.`,
    );
  const sold = rows.countries();
  const unsold = countries.filter(
    ({ iso2, selectable, ratesFrom }) => selectable && !sold.has(iso2) && !sold.has(ratesFrom ?? ""),
  );
  if (unsold.length > 0) lines.push(`${unsold.length} countries have no price: ${few(unsold.map(({ name }) => name))}.`);
  return lines;
}

function few(items: readonly string[]): string {
  const shown = items.slice(0, MAX_NAMED).join(", ");
  return items.length > MAX_NAMED ? `${shown} and ${items.length - MAX_NAMED} more` : shown;
}
