import type { OperatorCustomerResponse, TimelineEntry, TimelineResponse } from "@farline/contract/operator/customers.ts";
import { dollarText, isNothing, sumText } from "@farline/contract/operator/words/money-words.ts";
import { actionWords } from "@farline/contract/operator/words/audit-words.ts";
import { hitWords } from "@farline/contract/operator/words/search-words.ts";
import { moveText, timelineWords } from "@farline/contract/operator/words/timeline-words.ts";
import {
  blockWords,
  customerStatusWords,
  freezeWords,
  innerWordFor,
  languageName,
  termWords,
  tierWords,
  wordFor,
} from "@farline/contract/operator/words/words.ts";
import type { SearchHit, SearchResponse } from "@farline/contract/operator/search.ts";
import { printableLine } from "@farline/domain/text/clean-text.ts";
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
    .command("timeline <customer>")
    .description("everything that happened to a customer, newest first")
    .option("--limit <number>", "entries, at most 200; 50 by default")
    .option("--cursor <text>", "continue where the previous page ended")
    .action(
      run(async (id: string, { cursor, limit }: { limit?: string; cursor?: string }) => {
        const timeline = await ask("GET /api/operator/customers/:id/timeline", { params: { id }, query: { cursor, limit } });
        show(timeline, timelineLines(timeline));
      }),
    );
}

function hitLines({ hits, more, note }: SearchResponse): string[] {
  if (hits.length === 0) return ["Nothing found.", ...(note === null ? [] : [note])];
  return [...hits.map(hitLine), ...(more ? ["There are more results. Refine your search."] : [])];
}

/** The ids are what the other commands take. */
function hitLine(hit: SearchHit): string {
  const { type, id, customer_id: customer, email, at, amount } = hit;
  const { title, note } = hitWords(hit);
  const owner = customer === null || type === "customer" ? [] : [`customer ${customer}`];
  const facts = [title, note, at, amount === null ? null : dollarText(amount), email, `id ${id}`, ...owner];
  return printableLine(facts.filter((fact) => fact !== null && fact !== "").join("  "));
}

function customerLines(found: OperatorCustomerResponse): string[] {
  const { customer, money, tier, terms, blocked, counts } = found;
  const { because } = tier;
  const flags = [
    ...(customer.status === "active"
      ? []
      : [
          customerStatusWords[customer.status].toLowerCase(),
          ...(customer.frozen_because === null ? [] : [`the customer is told: ${freezeWords[customer.frozen_because]}`]),
        ]),
    ...(customer.email_verified ? [] : ["address not confirmed"]),
    ...(customer.email_refused ? ["mail refused"] : []),
    ...(because.ever_disputed ? ["has disputed a payment"] : []),
    ...(blocked === null ? [] : [`calls paused until ${blocked.until}: ${innerWordFor(blockWords, blocked.rule)}`]),
    ...(counts.open_disputes === 0 ? [] : [`${counts.open_disputes} open disputes`]),
    ...(counts.open_cases === 0 ? [] : [`${counts.open_cases} open questions`]),
    ...(counts.live_calls === 0 ? [] : [`${counts.live_calls} calls now`]),
  ];
  return [
    printableLine(`${customer.name}  ${customer.email}  ${customer.id}`),
    `Customer since ${customer.created_at}, reads ${languageName(customer.language)}`,
    moneyLine(money),
    `Trust: ${tierWords[tier.name]}. ${because.account_days} days, ${because.paid_payments} payments, ${because.authenticated_payments} confirmed by the bank, ` +
      `${sumText(because.long_settled)} settled long ago`,
    tier.limits_apply ? "Limits:" : "Limits are off; they would be:",
    ...terms.map(({ name, value, set }) =>
      printableLine(
        `  ${termWords[name]} (${name}): ${name === "tier" ? wordFor(tierWords, value) : value}${set === null ? "" : `, until ${set.until} by ${set.by}: ${set.reason}`}`,
      ),
    ),
    `${counts.sessions} devices signed in, ${counts.saved_cards} saved cards, ${counts.contacts} contacts`,
    `Flags: ${flags.length === 0 ? "none" : flags.join("; ")}`,
    `You can: ${found.can.map(actionWords).join(", ")}`,
  ];
}

/** What is zero is left out, but the balance. */
function moneyLine({ balance, held, debt, bonus, withdrawable }: OperatorCustomerResponse["money"]): string {
  const others = { held, debt, bonus, "can withdraw": withdrawable };
  const shown = Object.entries(others).filter(([, amount]) => !isNothing(amount));
  return [`Balance ${sumText(balance)}`, ...shown.map(([name, amount]) => `${name} ${sumText(amount)}`)].join(", ");
}

function timelineLines({ entries, next_cursor: next }: TimelineResponse): string[] {
  if (entries.length === 0) return ["Nothing has happened yet."];
  return [...entries.map(entryLine), ...(next === null ? [] : [`Older entries: --cursor '${next}'`])];
}

function entryLine(entry: TimelineEntry): string {
  const { id, at, balance_after: after, can } = entry;
  const { title, note } = timelineWords(entry);
  const money = [moveText(entry), after === null ? null : `then ${sumText(after)}`];
  const facts = [at, title, note, ...money, `id ${id}`].filter((fact) => fact !== null && fact !== "");
  return printableLine(`${facts.join("  ")}${can.length === 0 ? "" : `  [${can.map(actionWords).join(", ")}]`}`);
}
