import type { OperatorCustomerResponse, StoryEntry, StoryResponse } from "@farline/contract/operator/customers.ts";
import { printableLine } from "@farline/domain/clean-text.ts";
import { readCustomer, readStory } from "@farline/server/story/story.ts";
import type { Command } from "commander";
import { run, show } from "../commands.ts";
import { CommandError } from "../installation.ts";
import { asOperator } from "../open-context.ts";

const DEFAULT_ENTRIES = 50;
const MAX_ENTRIES = 200;

/** Adds the commands that show a customer and everything that happened to them. */
export function addCustomerCommands(program: Command): void {
  program
    .command("customer <customer>")
    .description("money, tier, limits and flags of a customer (id or email address)")
    .action(
      run(async (customer: string) => {
        const found = await asOperator(process.env, "read-customers", (ctx) => readCustomer(ctx, { customer }));
        show(found, customerLines(found));
      }),
    );
  program
    .command("story <customer>")
    .description("everything that happened to a customer, newest first")
    .option("--limit <number>", `entries, at most ${MAX_ENTRIES}`, String(DEFAULT_ENTRIES))
    .option("--cursor <text>", "continue where the previous page ended")
    .action(
      run(async (customer: string, { cursor, ...options }: { limit: string; cursor?: string }) => {
        const limit = Number(options.limit);
        if (!Number.isInteger(limit) || limit < 1 || limit > MAX_ENTRIES)
          throw new CommandError(`--limit is a whole number from 1 to ${MAX_ENTRIES}.`);
        const story = await asOperator(process.env, "read-customers", (ctx) => readStory(ctx, { customer, cursor, limit }));
        show(story, storyLines(story));
      }),
    );
}

function customerLines(found: OperatorCustomerResponse): string[] {
  const { customer, money, tier, terms, blocked, counts } = found;
  const { because } = tier;
  const flags = [
    ...(customer.status === "active"
      ? []
      : [`${customer.status}${customer.frozen_because === null ? "" : `: ${customer.frozen_because}`}`]),
    ...(customer.email_verified ? [] : ["address not confirmed"]),
    ...(customer.email_refused ? ["mail refused"] : []),
    ...(because.ever_disputed ? ["has disputed a payment"] : []),
    ...(blocked === null ? [] : [`calls blocked until ${blocked.until} (${blocked.rule})`]),
    ...(counts.open_disputes === 0 ? [] : [`${counts.open_disputes} open disputes`]),
    ...(counts.open_cases === 0 ? [] : [`${counts.open_cases} open questions`]),
    ...(counts.live_calls === 0 ? [] : [`${counts.live_calls} calls now`]),
  ];
  return [
    printableLine(`${customer.name}  ${customer.email}  ${customer.id}`),
    `Customer since ${customer.created_at}, language ${customer.language}`,
    `Balance $${money.balance}, held $${money.held}, debt $${money.debt}, bonus $${money.bonus}, can withdraw $${money.withdrawable}`,
    `Tier ${tier.name}: ${because.account_days} days, ${because.paid_payments} payments, ${because.authenticated_payments} confirmed by the bank, ` +
      `$${because.long_settled} settled long ago`,
    tier.limits_apply ? "Limits:" : "Limits are off; they would be:",
    ...terms.map(({ name, value, set }) =>
      printableLine(`  ${name} ${value}${set === null ? "" : `, until ${set.until} by ${set.by}: ${set.reason}`}`),
    ),
    `${counts.sessions} devices signed in, ${counts.saved_cards} saved cards, ${counts.contacts} contacts`,
    `Flags: ${flags.length === 0 ? "none" : flags.join("; ")}`,
    `You can: ${found.can.join(", ")}`,
  ];
}

function storyLines({ entries, next_cursor: next }: StoryResponse): string[] {
  if (entries.length === 0) return ["Nothing has happened yet."];
  return [...entries.map(entryLine), ...(next === null ? [] : [`Older entries: --cursor '${next}'`])];
}

function entryLine({ type, id, at, amount, state, text, can }: StoryEntry): string {
  const facts = [at, type, state, amount === null ? null : `$${amount}`, text, id].filter((fact) => fact !== null && fact !== "");
  return printableLine(`${facts.join("  ")}${can.length === 0 ? "" : `  [${can.join(", ")}]`}`);
}
