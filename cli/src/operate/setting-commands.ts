import {
  definitionOf,
  listSettings,
  readValue,
  settingHistory,
  writeValue,
  type PresentedSetting,
} from "@farline/server/settings/settings.ts";
import { printableLine } from "@farline/domain/clean-text.ts";
import type { Command } from "commander";
import { reasoned, run, show, type Reasoned } from "./commands.ts";
import { withContext } from "./open-context.ts";
import { operate } from "./operate.ts";
import { CommandError } from "./installation.ts";
import { readTime } from "./read-time.ts";

/** Adds the commands for the figures of the business. Each change is recorded with its operator and reason. */
export function addSettingCommands(program: Command): void {
  const settings = program
    .command("setting")
    .description("mark-up, limits and other figures, which change while the service runs");
  settings.command("list", { isDefault: true }).description("all settings, with their values and bounds").action(run(list));
  settings.command("history <name>").description("a setting's values, who set them and why").action(run(history));
  reasoned(settings.command("set <name> <value>").description("change a setting"))
    .option("--from <time>", "needed: when it applies, ISO 8601 or now")
    .action(run(set));
}

async function list(): Promise<void> {
  const settings = await withContext(process.env, (ctx) => listSettings(ctx));
  show({ settings }, [
    ...settings.map(lineOf),
    `${settings.length} settings. Running services learn of a change within a minute.`,
  ]);
}

function lineOf({ definition, value, since, next }: PresentedSetting): string {
  const write = (one: bigint) => writeValue(definition, one);
  const { name, alone, bounds } = definition;
  const origin = since === null ? "default" : `since ${since.valid_from.toISOString()} by ${printableLine(since.operator)}`;
  const allowed = `alone ${write(alone.min)} to ${write(alone.max)}, with a second operator ${write(bounds.min)} to ${write(bounds.max)}`;
  return [
    `${name}  ${write(value)}  (${origin}; ${allowed})`,
    ...next.map((one) => `  ${write(one.value)} from ${one.valid_from.toISOString()} by ${printableLine(one.operator)}`),
  ].join("\n");
}

async function history(name: string): Promise<void> {
  const { values, total } = await withContext(process.env, (ctx) => settingHistory(ctx, name));
  const definition = definitionOf(name);
  show({ definition, values, total }, [
    ...values.map(
      ({ value, valid_from: from, operator, reason }) =>
        `${writeValue(definition, value)} from ${from.toISOString()}, by ${printableLine(operator)}: ${printableLine(reason)}`,
    ),
    `${values.length} of ${total} values. The default is ${writeValue(definition, definition.defaultValue)}.`,
  ]);
}

async function set(name: string, text: string, { from, reason }: Reasoned & { from?: string }): Promise<void> {
  readValue(name, text);
  if (from === undefined) throw new CommandError("--from says when it applies: now, or a time like 2026-12-01.");
  const at = from === "now" ? null : readTime("--from", from);
  await operate("set-setting", { setting: name, value: text, from: at?.toISOString() ?? null, reason });
}
