import { countText } from "@farline/contract/operator/words/count-text.ts";
import { formatDollars } from "@farline/domain/money.ts";
import type { BillingRate } from "@farline/domain/calls/charge.ts";
import type { ExampleCall } from "../example-calls.ts";
import type { DeckReport } from "../import-deck.ts";

const MAX_INCREMENTS = 5;
const PRICES: ReadonlySet<string | null> = new Set(["price", "firstPrice", "nextPrice"]);

/** How a list is understood, as sentences to compare with the carrier's paper: kind, currency and unit, increments, validity. */
export function understoodLines(report: DeckReport): string[] {
  const { trunk, file, built, starts } = report;
  const columns = file.layout.filter(({ column }) => PRICES.has(column)).map(({ header }) => `"${header}"`);
  const { later } = built;
  return [
    trunk === null
      ? "Prices that customers pay: the carrier's prices in the file plus our mark-up."
      : `Costs of trunk "${trunk}": what calls over it cost us. Customers' prices do not change.`,
    `Prices in the file: US dollars per minute (${columns.join(", ")}).`,
    `The carrier charges ${incrementWords(built.rows, ({ cost }) => cost)}.`,
    ...(trunk === null ? [`Customers are charged ${incrementWords(built.rows, (sale) => sale)}.`] : []),
    startWords(starts),
    later.first === null
      ? "All prices hold until another list follows; none begins later."
      : `All prices hold until another list follows. ${countText(later.rows, "row")} in the file ${later.rows === 1 ? "begins" : "begin"} later, the first on ${later.first.toISOString()}, and ${later.rows === 1 ? "is" : "are"} not in this deck.`,
  ];
}

const CHOSEN: Readonly<Record<ExampleCall["chosen"], string>> = {
  most_called: "Called most",
  most_numbers: "Most prefixes",
  cheapest: "Cheapest",
  most_expensive: "Most expensive",
};

/** An example call as a sentence. */
export function exampleText({ chosen, row, seconds, costMicros, saleMicros }: ExampleCall): string {
  const less = saleMicros !== null && saleMicros < costMicros ? ", less than it costs" : "";
  const sale = saleMicros === null ? "calls to it are not sold" : `the customer pays $${formatDollars(saleMicros, 4)}${less}`;
  const perMinute = formatDollars(row.cost.ratePerMinuteMicros, 4);
  return (
    `${CHOSEN[chosen]}: ${seconds} seconds to +${row.prefix}… ${row.description}`.trimEnd() +
    ` cost us $${formatDollars(costMicros, 4)} ($${perMinute} a minute), ${sale}.`
  );
}

function startWords(starts: DeckReport["starts"]): string {
  if (starts === null) return "It is only stored, and not activated.";
  return starts === "now"
    ? "Active as soon as it is stored; in a live service five minutes later."
    : `Active from ${starts.toISOString()}.`;
}

/** The increments of all rows, the commonest first. */
function incrementWords<Row>(rows: Iterable<Row>, rateOf: (row: Row) => BillingRate): string {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const { firstIntervalSeconds: first, nextIntervalSeconds: next } = rateOf(row);
    const words =
      first === next
        ? first === 1
          ? "per second"
          : `in blocks of ${first} s`
        : `the first ${first} s, then ${blockWords(next)}`;
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  if (counts.size <= 1) return [...counts.keys()][0] ?? "nothing";
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a);
  const named = sorted
    .slice(0, MAX_INCREMENTS)
    .map(([words, rowsOfIt]) => `${words} (${countText(rowsOfIt, "prefix", "prefixes")})`);
  const more = sorted.slice(MAX_INCREMENTS).reduce((sum, [, rowsOfIt]) => sum + rowsOfIt, 0);
  return [...named, ...(more > 0 ? [`otherwise (${countText(more, "prefix", "prefixes")})`] : [])].join("; ");
}

function blockWords(seconds: number): string {
  return seconds === 1 ? "per second" : `in blocks of ${seconds} s`;
}
