import { countries, countryByCode } from "@farline/domain/countries/countries.ts";
import { formatDollars } from "@farline/domain/money.ts";
import type { DeckReport, MinutePrice, PriceChange, RowProblem, RowSkip, SideRow } from "@farline/server/decks/decks.ts";
import { COLUMN_WORDS } from "@farline/server/decks/decks.ts";
import { printableLine } from "@farline/domain/clean-text.ts";
import { moneyLines } from "./deck-money.ts";

const PROBLEMS: Readonly<Record<RowProblem, string>> = {
  prefix_missing: "no prefix",
  prefix_scientific: "a spreadsheet has shortened the prefix: format the column as text and export again",
  prefix_form: "not a prefix: digits of E.164 numbers, lists, or ranges of equal length",
  prefix_range: "a range of more than 10,000 numbers",
  prefix_unclear: "a list, or a country code and the rest of a number? Separate prefixes by commas, each with its country code",
  prefix_split: "begins with the country code in the other column, unlike other rows: is it part of the prefix?",
  notice_unclear: "a notice that may change prices: read it, and leave the line out with --skip",
  row_longer: "more cells than the header",
  prefix_twice: "the prefix has another price already",
  price_missing: "no price",
  price_form: "not a price",
  price_zero: "the price is 0",
  price_too_high: "more than $50 a minute",
  currency: "not in US dollars",
  two_prices: "the first minute has another price",
  price_per_call: "a price for each call, which we cannot charge",
  increments_missing: "no increments: give them for all with --increments",
  increments_form: "not increments such as 60/1",
  increments_unclear: "the first block is shorter than the others: which is first?",
  iso_form: "not a country code of two letters",
  date_form: "not a date",
  date_unclear: "the date may mean two days: give --dates dmy or --dates mdy",
  country_unknown: "the numbering plans have no such numbers, or the country is not told",
  country_differs: "the country's numbers do not begin so: compare prefix, country and description",
};
const SKIPPED: Readonly<Record<RowSkip | SideRow, string>> = {
  other_caller_numbers: "are for other caller numbers",
  closed: "are closed or forbidden",
  on_request: "are left out as asked",
  notice: "are notices",
  total: "are totals",
  repeated_header: "repeat the header",
};
const MAX_SHOWN = 20;
const WORDS = new Map(Object.entries(COLUMN_WORDS).map(([word, column]) => [column, word]));

/**
 * A file's report as lines of text: summary, money, warnings, large price changes, and invalid rows.
 * @param options.all lists everything instead of the first 20 of each kind
 */
export function reportLines(report: DeckReport, { all }: { readonly all: boolean }): string[] {
  const max = all ? Infinity : MAX_SHOWN;
  return [
    ...verdict(report),
    ...besideLines(report, max),
    ...moneyLines(report, max),
    ...warnings(report),
    ...jumpLines(report, max),
    ...badRows(report, max),
    ...concernLines(report),
    ...report.refusals,
  ];
}

/** The same for --json. */
export function reportData(report: DeckReport): object {
  const { file, built, comparison, concerns, refusals, stored, activated, proposal } = report;
  const { rowsRead, skipped, bad, beside, moved, layout } = file;
  return {
    rows: rowsRead,
    prefixes: built.rows.length,
    skipped,
    bad: { counts: bad.counts, rows: bad.named },
    beside,
    columns: layout,
    moved_columns: moved,
    later: built.later,
    comparison,
    concerns,
    refusals,
    deck: stored?.id ?? null,
    effective_at: activated?.effectiveAt ?? null,
    proposal: proposal?.id ?? null,
  };
}

function verdict(report: DeckReport): string[] {
  const { trunk, file, built, current, comparison } = report;
  const bad = [...file.bad.counts.values()].reduce((sum, count) => sum + count, 0);
  const { later, replaced } = built;
  const lines = [`${file.rowsRead} rows, ${built.rows.length} prefixes, ${bad} bad.`];
  lines.push(`Columns: ${columnWords(file.layout)}.`);
  if (file.ignored.length > 0) lines.push(`Columns not read: ${few(file.ignored.map(printableLine))}.`);
  for (const [why, rows] of file.skipped) lines.push(`${rows} rows ${SKIPPED[why]}.`);
  if (replaced > 0) lines.push(`${replaced} prefixes occur again; the latest date counts.`);
  if (later.first !== null)
    lines.push(
      `${later.rows} rows begin later, the first on ${later.first.toISOString()}, and are not in this deck; ${later.prefixes} prefixes are not sold until then.`,
    );
  lines.push(...notSold(report.built));
  const { added, raised, lowered, otherIncrements, unchanged, gone } = comparison;
  lines.push(
    current === null
      ? `No deck${trunk === null ? "" : " of this trunk"} is in force.`
      : `Against ${printableLine(current)}: ${added} added, ${raised} more expensive, ${lowered} cheaper, ${otherIncrements} with different increments, ${unchanged} unchanged, ${gone} removed.`,
  );
  return lines;
}

/** Notices and totals, so that an operator can read them. */
function besideLines({ file }: DeckReport, max: number): string[] {
  const texts = file.beside.filter(({ kind }) => kind !== "repeated_header");
  const more = texts.length - max;
  return [
    ...texts.slice(0, max).map(({ line, text }) => `  line ${line}: ${printableLine(text)}`),
    ...(more > 0 ? [`  … and ${more} more of ${texts.length}: --all lists them.`] : []),
  ];
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
        `${few(underOthers.map(({ countryCode, prefix, line }) => `${nameOf(countryCode)} (+${prefix}, under line ${line})`))}.`,
    );
  const sold = new Set(rows.map((row) => row.countryCode));
  const unsold = countries.filter(
    ({ iso2, selectable, ratesFrom }) => selectable && !sold.has(iso2) && !sold.has(ratesFrom ?? ""),
  );
  if (unsold.length > 0) lines.push(`${unsold.length} countries have no price: ${few(unsold.map(({ name }) => name))}.`);
  return lines;
}

function columnWords(layout: DeckReport["file"]["layout"]): string {
  const read = layout.filter(({ column }) => column !== null);
  return read.map(({ header, column }) => `${printableLine(header)} (${WORDS.get(column) ?? ""})`).join(", ");
}

function nameOf(code: string): string {
  return countryByCode(code)?.name ?? code;
}

function warnings({ trunk, comparison }: DeckReport): string[] {
  const { removedInUse, countriesLost, withoutMargin } = comparison;
  const lines: string[] = [];
  for (const one of removedInUse) lines.push(`Gone although called ${one.calls} times: ${changeLine(one)}`);
  if (countriesLost.length > 0) lines.push(`Countries that lose their price: ${few(countriesLost.map(nameOf))}.`);
  if (withoutMargin.length > 0)
    lines.push(
      `${withoutMargin.length} prefixes are not ${trunk === null ? "sold" : "called over this trunk"}, because some calls would cost more than they bring: ${few(withoutMargin)}.`,
    );
  return lines;
}

/** Prices that change by more than half: their number and the largest of them. */
function jumpLines({ comparison: { jumps, compared, medianRatios } }: DeckReport, max: number): string[] {
  if (medianRatios === null) return [];
  const shown = jumps.slice(0, max);
  const more = jumps.length - shown.length;
  return [
    `${jumps.length} of ${compared} compared prices change by more than half; the median is ${medianRatios.cost / 1000} times the current one.`,
    ...shown.map((one) => `  ${changeLine(one)}`),
    ...(more > 0 ? [`  … and ${more} more of ${jumps.length}: --all lists them.`] : []),
  ];
}

function concernLines({ concerns, proposal }: DeckReport): string[] {
  if (concerns.length === 0 || proposal !== null) return [];
  return [
    "A second operator must confirm these prices before they are in force:",
    ...concerns.map(({ text }) => `  ${printableLine(text)}`),
  ];
}

function changeLine({ prefix, description, before, after }: PriceChange): string {
  return `+${prefix} ${printableLine(description)}, cost ${minuteChange("cost", before, after)}, sold for ${minuteChange("sale", before, after)} a minute.`;
}

function minuteChange(what: keyof MinutePrice, before: MinutePrice | null, after: MinutePrice | null): string {
  const price = (one: MinutePrice | null) => (one === null ? "no price" : `$${formatDollars(one[what], 6)}`);
  return `${price(before)} -> ${price(after)}`;
}

function badRows({ file }: DeckReport, max: number): string[] {
  return [...file.bad.counts].flatMap(([problem, count]) => {
    const shown = file.bad.named.filter((row) => row.problem === problem).slice(0, max);
    const more = count > shown.length ? [`  … and ${count - shown.length} more of ${count}.`] : [];
    return [
      `${count} rows: ${PROBLEMS[problem]}.`,
      ...shown.map(({ line, text }) => `  line ${line}: ${printableLine(text)}`),
      ...more,
    ];
  });
}

function few(items: readonly string[]): string {
  const shown = items.slice(0, MAX_SHOWN).join(", ");
  return items.length > MAX_SHOWN ? `${shown} and ${items.length - MAX_SHOWN} more` : shown;
}
