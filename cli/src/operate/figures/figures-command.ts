import { figureDefinitions, NO_TRUNK_FIGURES, shareText } from "@farline/contract/operator/constants.ts";
import type { TrafficResponse, TurnoverRow } from "@farline/contract/operator/traffic.ts";
import { readTrafficReport } from "@farline/server/calls/calls.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import type { Command } from "commander";
import { run, show } from "../commands.ts";
import { withContext } from "../open-context.ts";

const DEFAULT_DAYS = 30;
const KEY_WIDTH = 14;
const FIGURE_WIDTH = 12;

/** Adds the command that shows what calls earned, and how trunks served them. */
export function addFiguresCommand(program: Command): void {
  program
    .command("figures")
    .description("minutes, revenue, cost and margin by day, country and trunk, and how each trunk served calls (UTC)")
    .option("--from <day>", `first day, for example 2026-11-01; ${DEFAULT_DAYS} days ago by default`)
    .option("--to <day>", "the day after the last one; tomorrow by default")
    .action(run(showFigures));
}

async function showFigures({ from, to }: { from?: string; to?: string }): Promise<void> {
  await withContext(process.env, async (ctx) => {
    const day = (offset: number): string => new Date(ctx.clock.now().getTime() + offset * DAY_MS).toISOString().slice(0, 10);
    const figures = await readTrafficReport(ctx, { from: from ?? day(-DEFAULT_DAYS), to: to ?? day(1) });
    show({ figures }, linesOf(figures));
  });
}

function linesOf({ total, days, countries, trunks, quality }: TrafficResponse): string[] {
  const head = (key: string) => row(key, ["calls", "answered", "minutes", "revenue", "cost", "estimated", "margin"]);
  return [
    ...table(head("Day"), days),
    ...table(head("Country"), countries),
    ...table(head("Trunk"), trunks),
    turnoverRow({ ...total, key: "Total" }),
    quality.length === 0 ? NO_TRUNK_FIGURES : row("Trunk", ["attempts", "ASR", "NER", "PDD median", "PDD 95 %", "MOS"]),
    ...quality.map(({ trunk, seizures, answered, effective, delay_median_seconds: median, delay_p95_seconds: p95, mos }) =>
      row(trunk, [
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
  return row(key === "" ? "-" : key, [
    String(calls),
    String(answered),
    (seconds / 60).toFixed(1),
    revenue,
    cost,
    estimated,
    margin,
  ]);
}

function row(key: string, figures: readonly string[]): string {
  return key.padEnd(KEY_WIDTH) + figures.map((figure) => figure.padStart(FIGURE_WIDTH)).join("");
}
