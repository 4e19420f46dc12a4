import { writeFile } from "node:fs/promises";
import type { TroubleResponse } from "@farline/contract/operations.ts";
import type { ReconciliationResponse } from "@farline/contract/operator/business.ts";
import { bookLineNames, figureDefinitions, NO_TRUNK_FIGURES, runbooks, shareText } from "@farline/contract/operator/constants.ts";
import type { MonthBooks, ProviderMonth } from "@farline/contract/operator/month.ts";
import type { DayFigures, OverviewResponse } from "@farline/contract/operator/overview.ts";
import { categoryText, differenceWords, dollarText, isNothing, sumText } from "@farline/contract/operator/words/money-words.ts";
import { overviewPartWords, queueKindWords, trunkStateWords } from "@farline/contract/operator/words/words.ts";
import type { TrafficResponse, TurnoverRow } from "@farline/contract/operator/traffic.ts";
import { printableLine } from "@farline/domain/text/clean-text.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import type { Command } from "commander";
import { ask } from "../client/service.ts";
import { EXIT, print, reasoned, type Reasoned, run, show } from "../command.ts";
import { readNumber } from "./operation.ts";

const DEFAULT_DAYS = 30;
const RECONCILED_DAYS = 3;
const [DAY_WIDTH, DAY_FIGURE_WIDTH] = [24, 12];
const [NAME_WIDTH, FIGURE_WIDTH] = [16, 18];
const [BOOK_WIDTH, AMOUNT_WIDTH] = [36, 16];

/** Adds the commands for how the service does: the overview, what calls earn, a month's books, and the comparison with the payment provider. */
export function addReportCommands(program: Command): void {
  program
    .command("overview")
    .description("how the service does: warnings, what waits, live calls, trunks, today beside a week ago")
    .action(
      run(async () => {
        const overview = await ask("GET /api/operator/overview");
        show({ overview }, overviewLines(overview));
      }),
    );
  program
    .command("figures")
    .description("minutes, revenue, cost and margin by day, country and trunk, and how each trunk served calls (UTC)")
    .option("--from <day>", `first day, for example 2026-11-01; ${DEFAULT_DAYS} days ago by default`)
    .option("--to <day>", "the day after the last one; tomorrow by default")
    .action(run(showFigures));
  program
    .command("month <month>")
    .description("a month's books from the ledger, beside the payment provider's balance report, for example 2026-11")
    .option("--csv <file>", "also write them to this file")
    .action(run(showMonth));
  reasoned(program.command("close-month <month>").description("keep a month's books, once it is over and adds up")).action(
    run(async (month: string, { reason }: Reasoned) => {
      const closing = await ask("POST /api/operator/months/:month/close", { params: { month }, body: { reason } });
      show({ closing }, [`${month} is closed. Customers' credit at its end: ${sumText(closing.books.closing.total)}.`]);
      reportFaults(closing.books, closing.provider);
    }),
  );
  program
    .command("reconcile")
    .description("compare the ledger with the payment provider, and set right what its records prove")
    .option("--days <number>", "how far back", String(RECONCILED_DAYS))
    .option("--last", "show the latest comparison instead of making one")
    .option("--reason <text>", "why; kept in the audit log", "Compared on the command line")
    .action(run(reconcile));
}

async function showFigures({ from, to }: { from?: string; to?: string }): Promise<void> {
  const day = (offset: number): string => new Date(Date.now() + offset * DAY_MS).toISOString().slice(0, 10);
  const figures = await ask("GET /api/operator/traffic", { query: { from: from ?? day(-DEFAULT_DAYS), to: to ?? day(1) } });
  show({ figures }, figureLines(figures));
}

function figureLines({ total, days, countries, trunks, quality }: TrafficResponse): string[] {
  const head = (key: string) => figureRow(key, ["calls", "answered", "minutes", "revenue", "cost", "estimated", "margin"]);
  return [
    ...table(head("Day"), days),
    ...table(
      head("Country"),
      countries.map((row) => ({ ...row, key: countryByCode(row.key)?.name ?? row.key })),
    ),
    ...table(head("Trunk"), trunks),
    turnoverRow({ ...total, key: "Total" }),
    quality.length === 0 ? NO_TRUNK_FIGURES : figureRow("Trunk", ["attempts", "ASR", "NER", "PDD median", "PDD 95 %", "MOS"]),
    ...quality.map(({ key, seizures, answered, effective, delay_median_seconds: median, delay_p95_seconds: p95, mos }) =>
      figureRow(key, [
        String(seizures),
        ...[shareText(answered, seizures), shareText(effective, seizures)],
        ...[median, p95, mos].map((figure) => figure?.toFixed(2) ?? "–"),
      ]),
    ),
    ...Object.values(figureDefinitions),
  ];
}

function table(head: string, rows: readonly TurnoverRow[]): string[] {
  return rows.length === 0 ? [] : [head, ...rows.map(turnoverRow)];
}

function turnoverRow({ key, calls, answered, seconds, revenue, cost, estimated, margin }: TurnoverRow): string {
  return figureRow(key === "" ? "not named" : key, [
    String(calls),
    String(answered),
    (seconds / 60).toFixed(1),
    ...[revenue, cost, estimated, margin].map(sumText),
  ]);
}

function figureRow(key: string, figures: readonly string[]): string {
  return key.padEnd(DAY_WIDTH) + figures.map((figure) => figure.padStart(DAY_FIGURE_WIDTH)).join("");
}

async function showMonth(month: string, { csv }: { csv?: string }): Promise<void> {
  const { books, closing } = await ask("GET /api/operator/months/:month", { params: { month } });
  const closed = closing === null ? "Not closed." : `Closed on ${closing.at} by ${closing.operator}.`;
  show({ books, closed_at: closing?.at ?? null }, [...bookLines(books), closed]);
  const provider = await ask("GET /api/operator/months/:month/provider", { params: { month } });
  show({ provider }, providerLines(provider));
  if (csv !== undefined) {
    const { text } = await ask("POST /api/operator/months/:month/file", { params: { month } });
    await writeFile(csv, text);
  }
  reportFaults(books, provider);
}

function bookLines({ month, from, to, complete, opening, closing, movements, taxes, late_receipts: late }: MonthBooks): string[] {
  return [
    complete ? `${month}: ${from} to ${to}.` : `${month} is not over: ${from} to ${to}.`,
    bookRow("Customers' credit", ["total", "bought", "bonus"]),
    bookRow("Opening", amountsOf(opening)),
    ...movements.map((one) => bookRow(`${bookLineNames[one.line]} (${one.count})`, amountsOf(one))),
    bookRow("Closing", amountsOf(closing)),
    `Owed by accounts below zero: ${sumText(opening.owed)} at the beginning, ${sumText(closing.owed)} at the end.`,
    ...taxes.map(
      ({ percent, paid, refunded, tax }) =>
        `Tax of ${percent}% in receipts: ${sumText(tax)} (paid ${sumText(paid)}, refunded ${sumText(refunded)}).`,
    ),
    ...late.map(
      ({ paid_month: paid, books_month: booked, count, tax }) =>
        `Receipts of ${paid} that came after it was closed: ${count}, tax ${sumText(tax)}, in the books of ${booked}.`,
    ),
  ];
}

function amountsOf({ total, bought, bonus }: MonthBooks["opening"] | MonthBooks["movements"][number]): string[] {
  return [total, bought, bonus].map(sumText);
}

function providerLines({ lines, provider_net: there, ledger_net: here, differences }: ProviderMonth): string[] {
  return [
    bookRow("Payment provider", ["amount", "fee", "net"]),
    ...lines.map((line) => {
      const { currency, count, amount, fee, net, paid, rate } = line;
      const converted = rate === null || paid === null ? "" : `  ${sumText(paid)} at ${rate}`;
      return bookRow(`${currency} ${categoryText(line)} (${count})`, [amount, fee, net]) + converted;
    }),
    `Received less returned: provider ${sumText(there)}, ledger ${sumText(here)}.`,
    ...differences.map(
      ({ payment_id: id, reference, currency, provider, ledger, text }) =>
        `${paymentName(id, reference)}: provider ${currency} ${provider}, ledger ${dollarText(ledger)}. ${text}`,
    ),
  ];
}

/** What does not add up makes the command exit with 2. */
function reportFaults({ faults }: MonthBooks, { differences }: ProviderMonth): void {
  for (const { text } of faults) print(`Fault: ${text}`);
  const open = differences.filter(({ timing }) => !timing).length;
  if (open > 0) print(`Fault: payments that differ from the provider's report: ${open}.`);
  if (faults.length === 0 && open === 0) print("Everything adds up.");
  else process.exitCode = EXIT.faults;
}

function bookRow(name: string, amounts: readonly string[]): string {
  return name.padEnd(BOOK_WIDTH) + amounts.map((amount) => amount.padStart(AMOUNT_WIDTH)).join("");
}

async function reconcile({ days, last, reason }: { days: string; last?: boolean; reason: string }): Promise<void> {
  if (last !== true) await ask("POST /api/operator/reconciliation", { body: { days: readNumber("--days", days), reason } });
  const { latest, differences } = await ask("GET /api/operator/reconciliation");
  if (latest === null) return print("There has been no comparison yet.");
  show({ comparison: latest, differences }, comparisonLines(latest, differences));
  if (differences.length > 0) process.exitCode = EXIT.faults;
}

function comparisonLines(
  { from, to, charges, provider, ledger, repaired, differences: total }: NonNullable<ReconciliationResponse["latest"]>,
  differences: ReconciliationResponse["differences"],
): string[] {
  const amount = (dollars: string | null) => (dollars === null ? "nothing" : dollarText(dollars));
  return [
    `${from} to ${to}: ${charges} charges at the provider.`,
    `Provider ${sumText(provider)}, ledger ${sumText(ledger)}, ${repaired} payments set right.`,
    ...differences.map((one) =>
      printableLine(
        `${paymentName(one.payment_id, one.reference)}: ${one.detail === "" ? differenceWords[one.kind] : one.detail} Provider ${amount(one.provider)}, ledger ${amount(one.ledger)}.`,
      ),
    ),
    differences.length === 0 ? "No differences." : `${differences.length} of ${total} differences.`,
  ];
}

/** The ids are what the commands take, and what the provider's pages find. */
function paymentName(id: string | null, reference: string | null): string {
  return [...(id === null ? [] : [`payment ${id}`]), ...(reference === null ? [] : [`at the provider ${reference}`])].join(", ");
}

function overviewLines(overview: OverviewResponse): string[] {
  const { unread, warnings, queue, live, trunks, today, week_ago: before, ledger, decks } = overview;
  const waiting = queue?.filter((one) => one.waiting > 0);
  return [
    ...unread.map((part) => `! ${overviewPartWords[part]} could not be read.`),
    ...(warnings?.length === 0 ? ["Nothing is wrong."] : (warnings ?? []).map(warningLine)),
    ...(waiting?.length === 0
      ? ["Nothing is waiting."]
      : (waiting ?? []).map(
          ({ kind, waiting: count, due_at: due, amount }) =>
            `${queueKindWords[kind]}: ${count}, first due ${due ?? "never"}${isNothing(amount) ? "" : `, ${sumText(amount)} at stake`}`,
        )),
    ...(live === null
      ? []
      : [
          `Live calls: ${live.answered} answered, ${live.ringing} ringing; so far ${sumText(live.charge)}${live.cost === null ? "" : `, cost ${sumText(live.cost)}`}, at most ${sumText(live.held)}`,
        ]),
    ...(trunks ?? []).map(({ name, state, seizures, answered }) =>
      printableLine(
        `Trunk ${name}${state === null ? "" : ` ${trunkStateWords[state]}`}: ${seizures} attempts in the last hour, ASR ${shareText(answered, seizures)}`,
      ),
    ),
    ...(today === null || before === null ? [] : dayLines(today, before)),
    ...(ledger === null ? [] : [ledgerLine(ledger)]),
    ...(decks === null ? [] : [startLine("Active deck", decks.active), startLine("Next deck", decks.next)]),
  ];
}

function ledgerLine({ checked_at: at, good_at: goodAt, deviations }: NonNullable<OverviewResponse["ledger"]>): string {
  return at === null
    ? "Ledger: not checked yet"
    : `Ledger: ${deviations} deviations, checked ${at}, last added up ${goodAt ?? "never"}`;
}

function warningLine({ text, runbook }: TroubleResponse): string {
  return printableLine(`! ${text} Look first: ${runbooks[runbook].step} (docs/runbooks/${runbook}.md)`);
}

function dayLines(today: DayFigures, before: DayFigures): string[] {
  const row = (name: string, figure: (day: DayFigures) => string) =>
    name.padEnd(NAME_WIDTH) + [today, before].map((day) => figure(day).padStart(FIGURE_WIDTH)).join("");
  return [
    row("", ({ day }) => day),
    row("Top-ups", ({ top_ups: count, topped_up: amount }) => amountOf(count, amount)),
    row("Calls", ({ calls }) => String(calls)),
    row("Minutes", ({ seconds }) => (seconds / 60).toFixed(1)),
    row("Revenue", ({ revenue }) => sumText(revenue)),
    ...(today.margin === null ? [] : [row("Margin", ({ margin }) => (margin === null ? "" : sumText(margin)))]),
    row("New customers", ({ new_customers: count }) => String(count)),
    row("Refunds", ({ refunds: count, refunded: amount }) => amountOf(count, amount)),
  ];
}

/** "2, $40.00"; nothing moved is no money. */
function amountOf(count: number, amount: string): string {
  return count === 0 && isNothing(amount) ? "none" : `${count}, ${sumText(amount)}`;
}

function startLine(name: string, start: NonNullable<OverviewResponse["decks"]>["next"]): string {
  if (start === null) return `${name}: none`;
  const trunk = start.trunk === null ? "" : ` (costs of ${start.trunk})`;
  return printableLine(`${name}: ${start.name}${trunk}, ${start.effective_at}`);
}
