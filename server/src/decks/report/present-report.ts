import { englishNameOf } from "@farline/domain/countries/countries.ts";
import {
  type ActivatedResponse,
  columnMeaning,
  type DeckReportResponse,
  type ExampleCallResponse,
  type ListKind,
  type PriceChangeResponse,
} from "@farline/contract/operator/decks.ts";
import { formatDollars, rateToDecimalString } from "@farline/domain/money.ts";
import type { Activated } from "../activate-deck.ts";
import type { MinutePrice, PriceChange } from "../compare-decks.ts";
import type { ExampleCall } from "../example-calls.ts";
import { COLUMN_WORDS } from "../file/deck-columns.ts";
import type { DeckReport } from "../import-deck.ts";
import type { CountryTraffic, Directions } from "../rate-traffic.ts";
import type { Approval } from "../../operator/operator.ts";
import { countBad, jumpLine, summaryLines, warningLines } from "./describe-report.ts";
import { exampleText, understoodLines } from "./describe-understood.ts";
import { PROBLEMS, wordText } from "./report-words.ts";

/** Words of bad rows that are listed for each problem. */
const MAX_WORDS = 20;

const MEANINGS = new Map(columnMeaning.options.map((meaning) => [COLUMN_WORDS[meaning], meaning]));

const SECONDS_PER_MINUTE = 60;

const ONE_CENT = 10_000n;

/**
 * The report of an import as the command prints it and the console shows it.
 * @param max entries of each list; the totals count all
 */
export function presentReport(report: DeckReport, max: number): DeckReportResponse {
  const { file, built, current, comparison, concerns, refusals, stored, same, activated, proposal } = report;
  const { added, raised, lowered, otherIncrements, unchanged, gone, jumps, removedInUse } = comparison;
  const notices = file.beside.filter(({ kind }) => kind !== "repeated_header");
  const changed = changedCountries(report);
  return {
    understood: {
      ...kindOf(report.trunk),
      lines: understoodLines(report),
      examples: report.examples.map(presentExample),
    },
    preview: report.preview,
    summary: summaryLines(report),
    warnings: warningLines(report),
    counts: {
      rows: file.rowsRead,
      prefixes: built.rows.length,
      bad: countBad(report),
      added,
      raised,
      lowered,
      other_increments: otherIncrements,
      unchanged,
      gone,
    },
    compared_with: current,
    columns: file.layout.map(({ header, column, isGiven }) => ({
      header,
      meaning: column === null ? null : (MEANINGS.get(column) ?? null),
      is_given: isGiven,
    })),
    doubtful_columns: file.doubtful.map(({ name }) => name),
    bad_rows: [...file.bad.counts].map(([problem, count]) => ({
      problem,
      text: PROBLEMS[problem],
      count,
      rows: file.bad.named
        .filter((row) => row.problem === problem)
        .slice(0, max)
        .map(({ line, text }) => ({ line, text })),
      words: [...(file.bad.words.get(problem) ?? [])]
        .toSorted(([, a], [, b]) => b - a)
        .slice(0, Math.min(max, MAX_WORDS))
        .map(([word, rows]) => ({ word, count: rows, text: wordText(problem, word, rows) })),
    })),
    notices: { total: notices.length, rows: notices.slice(0, max).map(({ line, text }) => ({ line, text })) },
    money: { lines: moneyLines(report), total: changed.length, countries: changed.slice(0, max).map(presentCountry) },
    jumps: { line: jumpLine(report), total: jumps.length, changes: jumps.slice(0, max).map(presentChange) },
    removed_in_use: removedInUse.map((one) => ({ ...presentChange(one), calls: one.calls })),
    concerns: concerns.map(({ text }) => text),
    refusals: refusals.map(({ kind, text }) => ({ kind, text })),
    deck: stored?.id ?? null,
    same_deck: same?.id ?? null,
    activated: activated === null ? null : presentActivated(activated),
    proposal: proposal === null ? null : presentProposal(proposal),
  };
}

export function presentActivated({ deck, effectiveAt, next }: Activated): ActivatedResponse {
  const { id, name, trunk } = deck;
  return {
    deck: { id, name, ...kindOf(trunk) },
    effective_at: effectiveAt.toISOString(),
    next: next === null ? null : { name: next.name, effective_at: next.effectiveAt.toISOString() },
  };
}

/** What a deck prices, as the contract says it. */
export function kindOf(trunk: string | null): { kind: ListKind; trunk: string | null } {
  return { kind: trunk === null ? "sale" : "trunk", trunk };
}

function presentExample(example: ExampleCall): ExampleCallResponse {
  const { chosen, row, seconds, costMicros, saleMicros } = example;
  return {
    chosen,
    prefix: row.prefix,
    description: row.description,
    seconds,
    cost: formatDollars(costMicros, 4),
    sale: saleMicros === null ? null : formatDollars(saleMicros, 4),
    text: exampleText(example),
  };
}

/** A proposal to activate a deck, and why it needs a second operator. */
export function presentProposal({ id, detail }: Approval): { id: string; why: string } {
  return { id, why: typeof detail["why"] === "string" ? detail["why"] : "" };
}

function presentCountry({ countryCode, calls, seconds, lost, gained, before, after }: CountryTraffic) {
  const money = ({ costMicros, saleMicros }: CountryTraffic["before"]) => ({
    cost: shortDollars(costMicros),
    sale: shortDollars(saleMicros),
  });
  return {
    country_code: countryCode,
    country_name: englishNameOf(countryCode),
    calls,
    minutes: minutesOf(seconds),
    before: gained === calls ? null : money(before),
    after: lost === calls ? null : money(after),
  };
}

function presentChange({ prefix, description, before, after }: PriceChange): PriceChangeResponse {
  return { prefix, description, before: presentPrice(before), after: presentPrice(after) };
}

function presentPrice(price: MinutePrice | null): { cost: string; sale: string } | null {
  return price === null ? null : { cost: rateToDecimalString(price.cost), sale: rateToDecimalString(price.sale) };
}

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
function shortDollars(micros: bigint): string {
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
