import type { SearchHit, SearchResponse } from "@farline/contract/operator/search.ts";
import { printableLine } from "@farline/domain/clean-text.ts";
import { searchEverything } from "@farline/server/search/search.ts";
import type { Command } from "commander";
import { run, show } from "../commands.ts";
import { asOperator } from "../open-context.ts";

/** Adds the command that finds whatever a text names. */
export function addFindCommand(program: Command): void {
  program
    .command("find <text...>")
    .description("find a customer, call or payment: email address, number, card's last four digits and amount, receipt, any id")
    .action(
      run(async (words: string[]) => {
        const found = await asOperator(process.env, "read-customers", (ctx) => searchEverything(ctx, words.join(" ")));
        show(found, linesOf(found));
      }),
    );
}

function linesOf({ hits, more, note }: SearchResponse): string[] {
  if (hits.length === 0) return ["Nothing found.", ...(note === null ? [] : [note])];
  return [...hits.map(lineOf), ...(more ? ["There are more results. Refine your search."] : [])];
}

function lineOf({ type, id, customer_id: customer, email, at, amount, text }: SearchHit): string {
  const owner = customer === null || type === "customer" ? [] : [`customer ${customer}`];
  const facts = [at, amount === null ? null : `$${amount}`, text, email, ...owner].filter((fact) => fact !== null && fact !== "");
  return printableLine([type, id, ...facts].join("  "));
}
