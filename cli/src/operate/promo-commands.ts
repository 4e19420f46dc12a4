import { listCampaigns } from "@farline/server/promotions/promotions.ts";
import { formatDollars, parseDollars } from "@farline/domain/money.ts";
import type { Command } from "commander";
import { reasoned, run, print, show, type Reasoned } from "./commands.ts";
import { CommandError } from "./installation.ts";
import { readTime } from "./read-time.ts";
import { withContext } from "./open-context.ts";
import { offerOf, operate } from "./operate.ts";

interface CreateOptions extends Reasoned {
  readonly percent?: string;
  readonly fixed?: string;
  readonly max?: string;
  readonly package?: string;
  readonly min?: string;
  readonly uses?: string;
  readonly budget?: string;
  readonly starts?: string;
  readonly ends?: string;
}

type Campaign = Awaited<ReturnType<typeof listCampaigns>>[number];

/** Adds the commands for promo codes. Each change is recorded with its operator and reason. */
export function addPromoCommands(program: Command): void {
  const promo = program.command("promo").description("promo codes that give bonus credit on a top-up, once per person");
  promo.command("list", { isDefault: true }).description("campaigns, newest first").action(run(list));
  reasoned(promo.command("create <code>").description("start a campaign"))
    .option("--percent <number>", "the bonus as a percentage of the payment")
    .option("--fixed <dollars>", "the bonus as a fixed amount")
    .option("--max <dollars>", "with --percent: the largest bonus per top-up")
    .option("--package <id>", "with --fixed: only with this package")
    .option("--min <dollars>", "the smallest payment that qualifies")
    .option("--uses <number>", "needed: how many top-ups may use it, or any")
    .option("--budget <dollars>", "needed: the total bonus that it may give, or any")
    .option("--starts <time>", "needed: ISO 8601 or now")
    .option("--ends <time>", "needed: ISO 8601 or never")
    .action(run(create));
  reasoned(promo.command("end <code>").description("end a campaign now; promised bonuses remain promised")).action(
    run((code: string, { reason }: CreateOptions) => operate("end-promo", { code, reason })),
  );
}

async function create(code: string, options: CreateOptions): Promise<void> {
  await operate("create-promo", {
    code,
    percent: wholeNumber("--percent", options.percent),
    fixedMicros: dollars("--fixed", options.fixed),
    maxBonusMicros: dollars("--max", options.max),
    packageId: options.package ?? null,
    minMicros: dollars("--min", options.min) ?? 0n,
    maxUses: wholeNumber("--uses", said("--uses", options.uses, "any")),
    budgetMicros: dollars("--budget", said("--budget", options.budget, "any")),
    startsAt: time("--starts", said("--starts", options.starts, "now")),
    endsAt: time("--ends", said("--ends", options.ends, "never")),
    reason: options.reason,
  });
}

async function list(): Promise<void> {
  const campaigns = await withContext(process.env, (ctx) => listCampaigns(ctx));
  const now = new Date();
  show({ campaigns }, [
    ...campaigns.map((one) => lineOf(one, now)),
    campaigns.length === 0 ? "There is no campaign." : `${campaigns.length} campaigns.`,
  ]);
}

function lineOf(one: Campaign, now: Date): string {
  const uses = `${one.uses}${one.most_uses === null ? "" : ` of ${one.most_uses}`} uses`;
  const budget = one.budget_micros === null ? "" : ` of $${formatDollars(one.budget_micros)}`;
  return `${one.code}  ${stateOf(one, now)}  ${offerOf(one)}  ${uses}, $${formatDollars(one.promised_micros)}${budget}`;
}

function stateOf(one: Campaign, now: Date): string {
  if (one.ended_at !== null || (one.ends_at !== null && one.ends_at <= now)) return "ended";
  if (one.starts_at > now) return `from ${one.starts_at.toISOString()}`;
  return one.ends_at === null ? "running" : `until ${one.ends_at.toISOString()}`;
}

/** An option without which a campaign would give more, or longer, than meant. @returns undefined for the word that says "without a bound" */
function said(option: string, text: string | undefined, unbound: string): string | undefined {
  if (text === undefined) throw new CommandError(`${option} is needed. Without a bound: ${option} ${unbound}`);
  return text === unbound ? undefined : text;
}

function dollars(option: string, text: string | undefined): bigint | null {
  if (text === undefined) return null;
  const micros = parseDollars(text);
  if (micros === null) throw new CommandError(`${option} is an amount in dollars, for example 5 or 12.50.`);
  return micros;
}

function wholeNumber(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,9}$/.test(text)) throw new CommandError(`${option} is a whole number.`);
  return Number(text);
}

function time(option: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const at = readTime(option, text);
  print(`${option}: ${at.toISOString()}`);
  return at;
}
