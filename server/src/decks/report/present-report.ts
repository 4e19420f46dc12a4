import type {
  ActivatedResponse,
  DeckReportResponse,
  ExampleCallResponse,
  ListKind,
  PriceChangeResponse,
} from "@farline/contract/operator/decks.ts";
import { formatDollars, rateToDecimalString } from "@farline/domain/money.ts";
import type { Activated } from "../activate-deck.ts";
import type { MinutePrice, PriceChange } from "../compare-decks.ts";
import type { ExampleCall } from "../example-calls.ts";
import { COLUMN_WORDS } from "../file/deck-columns.ts";
import type { DeckReport } from "../import-deck.ts";
import type { CountryTraffic } from "../rate-traffic.ts";
import type { Approval } from "../../operator/operator.ts";
import { changedCountries, minutesOf, moneyLines, shortDollars } from "./describe-money.ts";
import { countBad, jumpLine, nameOf, summaryLines, warningLines } from "./describe-report.ts";
import { exampleText, understoodLines } from "./describe-understood.ts";
import { PROBLEMS, wordText } from "./report-words.ts";

/** Words of bad rows that are listed for each problem. */
const MAX_WORDS = 20;
const MEANINGS = Object.keys(COLUMN_WORDS);
const WORDS = new Map(Object.entries(COLUMN_WORDS).map(([word, column]) => [column, word]));

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
      meaning: column === null ? null : (WORDS.get(column) ?? null),
      is_given: isGiven,
    })),
    column_meanings: MEANINGS,
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
    country_name: nameOf(countryCode),
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
