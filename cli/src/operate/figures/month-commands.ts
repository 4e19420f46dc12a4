import { writeFile } from "node:fs/promises";
import { bookLineNames } from "@farline/contract/operator/constants.ts";
import type { MonthBooks, ProviderMonth } from "@farline/contract/operator/month.ts";
import { closeMonth, monthCsv, readMonth, readProviderReport } from "@farline/server/billing/billing.ts";
import type { Command } from "commander";
import { EXIT, print, reasoned, run, show, type Reasoned } from "../commands.ts";
import { asOperator, withContext } from "../open-context.ts";

const NAME_WIDTH = 36;
const AMOUNT_WIDTH = 16;

/** Adds the commands for a month's books. */
export function addMonthCommands(program: Command): void {
  program
    .command("month <month>")
    .description("a month's books from the ledger, beside the payment provider's balance report, for example 2026-11")
    .option("--csv <file>", "also write them to this file")
    .action(run(showMonth));
  reasoned(program.command("close-month <month>").description("keep a month's books, once it is over and adds up")).action(
    run((month: string, { reason }: Reasoned) =>
      asOperator(process.env, "money", async (ctx) => {
        const closing = await closeMonth(ctx, { month, reason });
        show({ closing }, [`${month} is closed. Customers' credit at its end: $${closing.books.closing.total}.`]);
        reportFaults(closing.books, closing.provider);
      }),
    ),
  );
}

async function showMonth(month: string, { csv }: { csv?: string }): Promise<void> {
  await withContext(process.env, async (ctx) => {
    const { books, closing } = await readMonth(ctx, month);
    const closed = closing === null ? "Not closed." : `Closed on ${closing.at} by ${closing.operator}.`;
    show({ books, closed_at: closing?.at ?? null }, [...linesOf(books), closed]);
    const provider = await readProviderReport(ctx, month);
    show({ provider }, linesOfProvider(provider));
    if (csv !== undefined) await writeFile(csv, monthCsv(books, provider));
    reportFaults(books, provider);
  });
}

function linesOf({ month, from, to, complete, opening, closing, movements, taxes, late_receipts: late }: MonthBooks): string[] {
  return [
    complete ? `${month}: ${from} to ${to}.` : `${month} is not over: ${from} to ${to}.`,
    row("Customers' credit", ["total", "bought", "bonus"]),
    row("Opening", [opening.total, opening.bought, opening.bonus]),
    ...movements.map(({ line, count, total, bought, bonus }) => row(`${bookLineNames[line]} (${count})`, [total, bought, bonus])),
    row("Closing", [closing.total, closing.bought, closing.bonus]),
    `Owed by accounts below zero: $${opening.owed} at the beginning, $${closing.owed} at the end.`,
    ...taxes.map(
      ({ percent, paid, refunded, tax }) => `Tax of ${percent}% in receipts: $${tax} (paid $${paid}, refunded $${refunded}).`,
    ),
    ...late.map(
      ({ paid_month: paid, books_month: booked, count, tax }) =>
        `Receipts of ${paid} that came after it was closed: ${count}, tax $${tax}, in the books of ${booked}.`,
    ),
  ];
}

function linesOfProvider({ lines, provider_net: there, ledger_net: here, differences }: ProviderMonth): string[] {
  return [
    row("Payment provider", ["amount", "fee", "net"]),
    ...lines.map(({ category, currency, count, amount, fee, net, paid, rate }) => {
      const converted = rate === null ? "" : `  $${paid} at ${rate}`;
      return row(`${currency} ${category} (${count})`, [amount, fee, net]) + converted;
    }),
    `Received less returned: provider $${there}, ledger $${here}.`,
    ...differences.map(
      ({ payment_id: id, reference, currency, provider, ledger, text }) =>
        `payment ${id ?? "-"}  ${reference ?? "-"}  provider ${currency} ${provider}  ledger USD ${ledger}  ${text}`,
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

function row(name: string, amounts: readonly string[]): string {
  return name.padEnd(NAME_WIDTH) + amounts.map((amount) => amount.padStart(AMOUNT_WIDTH)).join("");
}
