import type { ExplanationResponse, PriceHistoryResponse } from "@farline/contract/operator/prices.ts";
import { numberTypeWords, riskWords } from "@farline/contract/operator/words/call-words.ts";
import { innerWordFor, tierWords } from "@farline/contract/operator/words/words.ts";
import { printableLine } from "@farline/domain/text/clean-text.ts";
import { countriesNamed } from "@farline/domain/countries/find-countries.ts";
import type { Command } from "commander";
import { ask } from "../client/service.ts";
import { CommandError, run, show } from "../command.ts";

/** Adds the commands that explain prices. */
export function addPriceCommands(decks: Command): void {
  decks
    .command("price <number>")
    .description("what calls to a number cost and why: deck, prefix, cost, mark-up, trunks and limits")
    .option("--country <name>", "the country of a number without a country code, for example Ghana or GH")
    .action(
      run(async (number: string, { country }: { country?: string }) => {
        const body = { number, country: country === undefined ? null : countryOf(country) };
        const explained = await ask("POST /api/operator/prices/explain", { body });
        show(explained, explanationLines(explained));
      }),
    );
  decks
    .command("history <country>")
    .description("what calls to a country have cost and were sold for, latest first")
    .action(
      run(async (country: string) => {
        const history = await ask("GET /api/operator/prices/history", { query: { country: countryOf(country) } });
        show(history, historyLines(history));
      }),
    );
}

function countryOf(text: string): string {
  const [code, ...others] = countriesNamed(text);
  if (code === undefined)
    throw new CommandError("No country has this name or code. Use its name, for example Ghana, or its code, GH.");
  if (others.length > 0) throw new CommandError(`This may be ${[code, ...others].join(" or ")}. Use the code.`);
  return code;
}

function explanationLines(one: ExplanationResponse): string[] {
  const { risk, price_class: priceClass, longest_calls: longest } = one;
  return [
    `${one.written}: ${one.country_name}, ${innerWordFor(numberTypeWords, one.number_type)}${risk === null ? "" : `, risk: ${riskWords[risk.level]} (${risk.reason})`}`,
    ...one.decks.flatMap(deckLines),
    ...(one.decks.length === 0 ? ["No deck is active."] : []),
    ...one.trunks.map(
      ({ trunk, cost, text }) => `Trunk ${printableLine(trunk)}${cost === null ? "" : `, ${rateText(cost)}`}: ${text}`,
    ),
    ...one.breakers,
    ...(priceClass === null
      ? []
      : [
          `Class ${priceClass}. Longest call: ${longest.map(({ tier, seconds }) => `${innerWordFor(tierWords, tier)} ${lengthText(seconds)}`).join(", ")}.`,
        ]),
  ];
}

function deckLines(deck: ExplanationResponse["decks"][number]): string[] {
  const { row } = deck;
  const when = `${deck.is_scheduled ? "from" : "active since"} ${deck.effective_at}`;
  return [
    `${printableLine(deck.name)}, ${when}: ${deck.verdict}`,
    ...(row === null
      ? []
      : [
          `  +${row.prefix} ${printableLine(row.description)}, ${innerWordFor(numberTypeWords, row.number_type)}`,
          `  cost ${rateText(row.cost)}, sold for ${rateText(row.price)}`,
          `  ${row.mark_up} ${row.typical_margin_percent} % of a typical call's price remain.`,
        ]),
  ];
}

function rateText({ per_minute, first_interval_s, next_interval_s }: ExplanationResponse["trunks"][number]["cost"] & {}): string {
  return `$${per_minute} a minute in ${first_interval_s}/${next_interval_s}`;
}

function lengthText(seconds: number | null): string {
  return seconds === null ? "closed" : `${Math.floor(seconds / 60)} min`;
}

function historyLines({ country_name: country, periods }: PriceHistoryResponse): string[] {
  if (periods.length === 0) return ["No deck was ever active."];
  return [
    `${country}:`,
    ...periods.flatMap(({ name, from, until, state, prices }) => [
      `${state === "past" ? `${from} to ${until}` : `${state === "active" ? "since" : "from"} ${from}`}, ${printableLine(name)}${prices.length === 0 ? ": not sold" : ""}`,
      ...prices.map(
        ({ number_type: type, prefixes, cost, price }) =>
          `  ${innerWordFor(numberTypeWords, type)}, ${prefixes} prefixes: cost ${rangeText(cost)}, sold for ${rangeText(price)} a minute`,
      ),
    ]),
  ];
}

function rangeText({ lowest, highest }: { lowest: string; highest: string }): string {
  return lowest === highest ? `$${lowest}` : `$${lowest} to $${highest}`;
}
