import type { TroubleResponse } from "@farline/contract/operations.ts";
import { runbooks, shareText } from "@farline/contract/operator/constants.ts";
import type { DayFigures, OverviewResponse } from "@farline/contract/operator/overview.ts";
import { printableLine } from "@farline/domain/clean-text.ts";
import type { Command } from "commander";
import { ask } from "../client/service.ts";
import { run, show } from "../command.ts";

const NAME_WIDTH = 16;
const FIGURE_WIDTH = 18;

/** Adds the command that shows what the console's first page shows. */
export function addOverviewCommand(program: Command): void {
  program
    .command("overview")
    .description("how the service does: warnings, what waits, live calls, trunks, today beside a week ago")
    .action(
      run(async () => {
        const overview = await ask("GET /api/operator/overview");
        show({ overview }, linesOf(overview));
      }),
    );
}

function linesOf({ warnings, queue, live, trunks, today, week_ago: before, ledger, decks }: OverviewResponse): string[] {
  const waiting = queue.filter((one) => one.waiting > 0);
  return [
    ...(warnings.length === 0 ? ["Nothing is wrong."] : warnings.map(warningLine)),
    ...(waiting.length === 0
      ? ["Nothing waits."]
      : waiting.map(({ kind, waiting: count, due_at: due, amount }) => `${kind}: ${count}, first due ${due}, $${amount}`)),
    `Live calls: ${live.answered} answered, ${live.ringing} ringing; so far $${live.charge}${live.cost === null ? "" : `, cost $${live.cost}`}, at most $${live.held}`,
    ...trunks.map(({ name, seizures, answered }) =>
      printableLine(`Trunk ${name}: ${seizures} attempts in the last hour, ASR ${shareText(answered, seizures)}`),
    ),
    ...dayLines(today, before),
    ...(ledger === null ? [] : [ledgerLine(ledger)]),
    ...(decks === null ? [] : [startLine("Deck in force", decks.in_force), startLine("Next deck", decks.next)]),
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
    row("Top-ups", ({ top_ups: count, topped_up: amount }) => `${count}, $${amount}`),
    row("Calls", ({ calls }) => String(calls)),
    row("Minutes", ({ seconds }) => (seconds / 60).toFixed(1)),
    row("Revenue", ({ revenue }) => `$${revenue}`),
    ...(today.margin === null ? [] : [row("Margin", ({ margin }) => `$${margin}`)]),
    row("New customers", ({ new_customers: count }) => String(count)),
    row("Refunds", ({ refunds: count, refunded: amount }) => `${count}, $${amount}`),
  ];
}

function startLine(name: string, start: NonNullable<OverviewResponse["decks"]>["next"]): string {
  if (start === null) return `${name}: none`;
  const trunk = start.trunk === null ? "" : ` (costs of ${start.trunk})`;
  return printableLine(`${name}: ${start.name}${trunk}, ${start.effective_at}`);
}
