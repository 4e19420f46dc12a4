import type {
  BreakerResponse,
  PromoResponse,
  SettingHistoryResponse,
  SettingResponse,
} from "@farline/contract/operator/business.ts";
import { sumText } from "@farline/contract/operator/words/money-words.ts";
import { printableLine } from "@farline/domain/text/clean-text.ts";
import type { Command } from "commander";
import { ask } from "../client/service.ts";
import { run, show } from "../command.ts";
import { operationCommand } from "./operation.ts";

/** Adds the commands for business settings, promo codes and the breakers on costly calls. */
export function addSellingCommands(program: Command): void {
  addSettingCommands(
    program.command("setting").description("mark-up, limits and other settings, which change while the service runs"),
  );
  addPromoCommands(program.command("promo").description("promo codes that give bonus credit on a top-up, once per person"));
  addBreakerCommands(program.command("breakers").description("circuit breakers on costly calls"));
}

function addSettingCommands(settings: Command): void {
  settings
    .command("list", { isDefault: true })
    .description("all settings, with their values and bounds")
    .action(
      run(async () => {
        const { settings: all } = await ask("GET /api/operator/settings");
        const end = `${all.length} settings. Running services learn of a change within a minute.`;
        show({ settings: all }, [...all.map(settingLine), end]);
      }),
    );
  settings
    .command("history <name>")
    .description("a setting's values, who set them and why")
    .action(
      run(async (setting: string) => {
        const history = await ask("GET /api/operator/settings/:setting", { params: { setting } });
        show(history, historyLines(history));
      }),
    );
  operationCommand(settings, "set-setting", "set <name> <value>", {
    description: "change a setting",
    options: { from: ["--from <time>", "when it applies, ISO 8601", { unbound: "now" }] },
  });
}

function settingLine({ name, value, since, alone, bounds, next }: SettingResponse): string {
  const origin = since === null ? "default" : `since ${since.at} by ${printableLine(since.operator)}`;
  const allowed = `alone ${alone.min} to ${alone.max}, with a second operator ${bounds.min} to ${bounds.max}`;
  return [
    `${name}  ${value}  (${origin}; ${allowed})`,
    ...next.map((one) => `  ${one.value} from ${one.from} by ${printableLine(one.operator)}`),
  ].join("\n");
}

function historyLines({ values, total, default: defaultValue }: SettingHistoryResponse): string[] {
  return [
    ...values.map(({ value, from, operator, reason }) => printableLine(`${value} from ${from}, by ${operator}: ${reason}`)),
    `${values.length} of ${total} values. The default is ${defaultValue}.`,
  ];
}

function addPromoCommands(promos: Command): void {
  promos
    .command("list", { isDefault: true })
    .description("campaigns, newest first")
    .action(
      run(async () => {
        const { promos: campaigns } = await ask("GET /api/operator/promos");
        const end = campaigns.length === 0 ? "There is no campaign." : `${campaigns.length} campaigns.`;
        show({ campaigns }, [...campaigns.map((one) => promoLine(one, new Date())), end]);
      }),
    );
  operationCommand(promos, "create-promo", "create <code>", {
    description: "start a campaign",
    options: {
      percent: ["--percent <number>", "the bonus as a percentage of the payment"],
      fixedMicros: ["--fixed <dollars>", "the bonus as a fixed amount"],
      maxBonusMicros: ["--max <dollars>", "with --percent: the largest bonus per top-up"],
      packageId: ["--package <id>", "with --fixed: only with this package"],
      minMicros: ["--min <dollars>", "the smallest payment that qualifies", { otherwise: "0" }],
      maxUses: ["--uses <number>", "how many top-ups may use it", { unbound: "any" }],
      budgetMicros: ["--budget <dollars>", "the total bonus that it may give", { unbound: "any" }],
      startsAt: ["--starts <time>", "when it starts, ISO 8601", { unbound: "now" }],
      endsAt: ["--ends <time>", "when it ends, ISO 8601", { unbound: "never" }],
    },
  });
  operationCommand(promos, "end-promo", "end <code>", {
    description: "end a campaign now; promised bonuses remain promised",
  });
}

function promoLine(one: PromoResponse, now: Date): string {
  const uses = `${one.uses}${one.most_uses === null ? "" : ` of ${one.most_uses}`} uses`;
  const budget = one.budget === null ? "" : ` of ${sumText(one.budget)}`;
  return `${one.code}  ${promoState(one, now)}  ${one.offer}  ${uses}, promised ${sumText(one.promised)}${budget}`;
}

function promoState({ ended_at: ended, ends_at: ends, starts_at: starts }: PromoResponse, now: Date): string {
  if (ended !== null || (ends !== null && new Date(ends) <= now)) return "ended";
  if (new Date(starts) > now) return `from ${starts}`;
  return ends === null ? "running" : `until ${ends}`;
}

function addBreakerCommands(breakers: Command): void {
  breakers
    .command("list", { isDefault: true })
    .description("active breakers, lifted ones, and today's notes")
    .action(
      run(async () => {
        const { spent, breakers: all } = await ask("GET /api/operator/breakers");
        show({ spent, breakers: all }, [
          `Carriers have taken ${sumText(spent)} since midnight UTC.`,
          ...(all.length === 0 ? ["No breaker is active."] : all.map(breakerLine)),
        ]);
      }),
    );
  operationCommand(breakers, "lift-breaker", "lift <id>", { description: "allow these calls again" });
}

function breakerLine({ id, text, until, lifted_at: liftedAt }: BreakerResponse): string {
  return `${id}  ${text}, ${liftedAt === null ? `until ${until}` : `lifted ${liftedAt}`}`;
}
