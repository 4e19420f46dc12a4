import type { DeckReportResponse, ImportRefusal, PriceChangeResponse } from "@farline/contract/operator/decks.ts";
import { printableLine } from "@farline/domain/text/clean-text.ts";

/** What to add to the command, by what is refused. */
const HINTS: Readonly<Partial<Record<ImportRefusal, string>>> = {
  kind_doubtful: "If it is of the kind that you said, pass --kind-sure.",
  unknown_trunk: "Pass it with --new-trunk.",
  bad_rows: "Pass their words with --skip-word, or their lines with --skip.",
  moved_columns: "If they are, pass --new-columns.",
  incomplete: "If it is complete, pass --complete.",
};

/** The report of an import as lines of text. */
export function reportLines(report: DeckReportResponse): string[] {
  const { understood, summary, warnings, money, notices, jumps, concerns, proposal, refusals } = report;
  return [
    ...[...understood.lines, ...understood.examples.map(({ text }) => text)].map(printableLine),
    ...summary.map(printableLine),
    `Columns: ${columnWords(report)}.`,
    ...listed(
      notices.rows.map(({ line, text }) => `line ${line}: ${printableLine(text)}`),
      notices.total,
    ),
    ...money.lines,
    ...listed(money.countries.map(countryLine), money.total),
    ...report.removed_in_use.map((one) => `Removed, but called ${one.calls} times: ${changeLine(one)}`),
    ...warnings.map(printableLine),
    ...(jumps.line === null ? [] : [jumps.line, ...listed(jumps.changes.map(changeLine), jumps.total)]),
    ...badRows(report),
    ...(concerns.length > 0 && proposal === null
      ? ["A second operator must confirm these prices before they are active:", ...listed(concerns.map(printableLine))]
      : []),
    ...refusals.map((one) => refusalLine(one, report)),
  ];
}

function listed(lines: readonly string[], total = lines.length, how = "--all lists up to 200"): string[] {
  const more = total - lines.length;
  return [...lines.map((line) => `  ${line}`), ...(more > 0 ? [`  … and ${more} more of ${total}: ${how}.`] : [])];
}

function columnWords({ columns }: DeckReportResponse): string {
  const read = columns.filter(({ meaning }) => meaning !== null && meaning !== "ignore");
  return read.map(({ header, meaning }) => `${printableLine(header)} (${meaning})`).join(", ");
}

function countryLine(one: DeckReportResponse["money"]["countries"][number]): string {
  const change = (what: "cost" | "sale") =>
    [one.before, one.after].map((money) => (money === null ? "no price" : `$${money[what]}`)).join(" -> ");
  return `${one.country_name}: ${one.calls} calls, ${one.minutes} minutes, cost ${change("cost")}, sold for ${change("sale")}.`;
}

function changeLine({ prefix, description, before, after }: PriceChangeResponse): string {
  const change = (what: "cost" | "sale") =>
    [before, after].map((price) => (price === null ? "no price" : `$${price[what]}`)).join(" -> ");
  return `+${prefix} ${printableLine(description)}, cost ${change("cost")}, sold for ${change("sale")} a minute.`;
}

function badRows({ bad_rows: bad }: DeckReportResponse): string[] {
  return bad.flatMap(({ problem, text, count, rows, words }) => [
    `${count} rows: ${text}.`,
    ...words.map((one) => printableLine(`  ${one.text}: --skip-word "${problem}=${one.word}"`)),
    ...listed(
      rows.map(({ line, text: row }) => `line ${line}: ${printableLine(row)}`),
      count,
      "--bad-rows <file> writes them all to a file",
    ),
  ]);
}

function refusalLine({ kind, text }: DeckReportResponse["refusals"][number], { doubtful_columns }: DeckReportResponse): string {
  const hint =
    kind === "doubtful_columns"
      ? `If they do not, pass ${doubtful_columns.map((name) => `--column "${name}=ignore"`).join(" ")}.`
      : HINTS[kind];
  return printableLine(hint === undefined ? text : `${text} ${hint}`);
}
