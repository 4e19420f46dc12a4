import type { OperatorCustomerResponse, StoryEntry, StoryResponse } from "@farline/contract/operator/customers.ts";
import { balanceText } from "@farline/contract/operator/words/money-words.ts";
import { moveText, storyWords } from "@farline/contract/operator/words/story-words.ts";
import type { SearchHit, SearchResponse } from "@farline/contract/operator/search.ts";
import { printableLine } from "@farline/domain/clean-text.ts";
import type { Command } from "commander";
import { ask } from "../client/service.ts";
import { run, show } from "../command.ts";

/** Adds the commands that find a customer and show everything that happened to them. */
export function addCustomerCommands(program: Command): void {
  program
    .command("find <text...>")
    .description("find a customer, call or payment: email address, number, card's last four digits and amount, receipt, any id")
    .action(
      run(async (words: string[]) => {
        const found = await ask("POST /api/operator/search", { body: { text: words.join(" ") } });
        show(found, hitLines(found));
      }),
    );
  program
    .command("customer <customer>")
    .description("money, tier, limits and flags of a customer (id or email address)")
    .action(
      run(async (id: string) => {
        const found = await ask("GET /api/operator/customers/:id", { params: { id } });
        show(found, customerLines(found));
      }),
    );
  program
    .command("story <customer>")
    .description("everything that happened to a customer, newest first")
    .option("--limit <number>", "entries, at most 200; 50 by default")
    .option("--cursor <text>", "continue where the previous page ended")
    .action(
      run(async (id: string, { cursor, limit }: { limit?: string; cursor?: string }) => {
        const story = await ask("GET /api/operator/customers/:id/story", { params: { id }, query: { cursor, limit } });
        show(story, storyLines(story));
      }),
    );
}

function hitLines({ hits, more, note }: SearchResponse): string[] {
  if (hits.length === 0) return ["Nothing found.", ...(note === null ? [] : [note])];
  return [...hits.map(hitLine), ...(more ? ["There are more results. Refine your search."] : [])];
}

function hitLine({ type, id, customer_id: customer, email, at, amount, text }: SearchHit): string {
  const owner = customer === null || type === "customer" ? [] : [`customer ${customer}`];
  const facts = [at, amount === null ? null : `$${amount}`, text, email, ...owner].filter((fact) => fact !== null && fact !== "");
  return printableLine([type, id, ...facts].join("  "));
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

function entryLine(entry: StoryEntry): string {
  const { type, id, at, balance_after: after, can } = entry;
  const { title, note } = storyWords(entry);
  const money = [moveText(entry), after === null ? null : `then ${balanceText(after)}`];
  const facts = [at, title, note, ...money, type, id].filter((fact) => fact !== null && fact !== "");
  return printableLine(`${facts.join("  ")}${can.length === 0 ? "" : `  [${can.join(", ")}]`}`);
}
