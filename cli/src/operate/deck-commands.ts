import { createWriteStream } from "node:fs";
import { basename } from "node:path";
import { pipeline } from "node:stream/promises";
import type { ActivatedResponse, DeckReportResponse, DeckResponse, ListKind } from "@farline/contract/operator/decks.ts";
import { printableLine } from "@farline/domain/text/clean-text.ts";
import type { Command } from "commander";
import { ask, upload, uploadForFile } from "../client/service.ts";
import { CommandError, EXIT, print, reasoned, run, show, type Reasoned } from "../command.ts";
import { reportLines } from "./deck-report.ts";
import { operate, operationCommand, readTime, refuseWaiting } from "./operation.ts";
import { addPriceCommands } from "./price-commands.ts";

/** Entries of each list without --all. */
const MAX_SHOWN = 20;

/** What a list prices; no command assumes it. */
interface Kind {
  readonly kind?: string;
  readonly trunk?: string;
}

interface ImportOptions extends Reasoned, Kind {
  readonly newTrunk?: string;
  readonly kindSure?: boolean;
  readonly effective?: string;
  readonly name?: string;
  readonly increments?: string;
  readonly dates?: string;
  readonly skip?: string;
  readonly skipWord: string[];
  readonly column: string[];
  readonly newColumns?: boolean;
  readonly all?: boolean;
  readonly badRows?: string;
  readonly complete?: boolean;
  readonly preview?: string;
}

/** Adds the commands for rate decks. Each change is recorded with its operator and reason. */
export function addDeckCommands(program: Command): void {
  const decks = program.command("decks").description("carriers' price lists, from which our prices are derived");
  decks.command("list", { isDefault: true }).description("decks, newest first, and when each is active").action(run(list));
  ofKind(
    reasoned(decks.command("import <file>").description("show how a carrier's CSV file is read, or store it as it was shown")),
  )
    .option("--preview <id>", "store the list, as the report with this id showed it; without it, nothing is stored")
    .option("--effective <time>", "when to activate it: ISO 8601 or now; only stored by default")
    .option("--new-trunk <name>", "the trunk's name once more, if it has no price list yet")
    .option("--kind-sure", "the list is of this kind although its words say otherwise")
    .option("--name <text>", "the file's name by default")
    .option("--increments <first/next>", "seconds for rows without increments, for example 60/60")
    .option("--dates <order>", "dmy or mdy, if the file's dates are ambiguous")
    .option("--skip <lines>", "lines to leave out, for example 12,99")
    .option(
      "--skip-word <problem=word>",
      'all bad rows with a word, for example "price_form=closed", as the report names them; may be repeated',
      repeated,
      [],
    )
    .option(
      "--column <header=meaning>",
      'what a column means, for example "Dial Codes=prefix" or "Connect Fee=ignore"; may be repeated, and counts for the next file too',
      repeated,
      [],
    )
    .option("--new-columns", "the columns may differ from those of the latest file")
    .option("--all", "list up to 200 of each kind, not only the first 20")
    .option("--bad-rows <file>", "also write every row that cannot be used to this CSV file, for the carrier")
    .option("--complete", "the file is the whole list, even if it lacks most of what is active")
    .action(run(importFile, EXIT.faults));
  addPriceCommands(decks);
  operationCommand(decks, "activate-deck", "activate <deck>", {
    description: "activate a stored deck (its id or the start of it)",
    options: { at: ["--effective <time>", "when it is active, ISO 8601", { unbound: "now" }] },
    done: ({ activated }) => (activated === null ? "" : activationText(activated)),
  });
  operationCommand(decks, "cancel-deck", "cancel <deck>", { description: "cancel the future activation of a deck" });
  ofKind(reasoned(decks.command("roll-back").description("activate the deck before the present one again")))
    .option("--from <deck>", "the active deck that you leave, as the command without this shows it")
    .option("--to <deck>", "the earlier deck that is active again, as the command without this shows it")
    .action(run(rollBack));
}

function ofKind(command: Command): Command {
  return command
    .option("--kind <kind>", "needed. sale: prices that customers pay; trunk: the costs of one trunk, with --trunk")
    .option("--trunk <name>", "the trunk, by its name in the exchange's file of trunks");
}

function repeated(text: string, others: string[]): string[] {
  return [...others, text];
}

async function rollBack(options: Reasoned & Kind & { from?: string; to?: string }): Promise<void> {
  const which = kindOf(options);
  const { from, to, reason } = options;
  if (from === undefined || to === undefined) throw await stepBack(which);
  await operate("roll-back-deck", undefined, { ...which, from, to, reason }, activationText);
}

/** What a roll-back would leave, for which deck. */
async function stepBack({ kind, trunk }: ReturnType<typeof kindOf>): Promise<CommandError> {
  const { decks } = await ask("GET /api/operator/decks");
  const from = decks.find((one) => one.state === "active" && one.kind === kind && one.trunk === (trunk ?? null));
  const to = from?.goes_back_to ?? null;
  if (from === undefined || to === null)
    return new CommandError("No other deck was active before, so there is none to go back to.");
  const since = from.activations.find(({ state }) => state === "active")?.effective_at ?? "?";
  return new CommandError(
    `Nothing has changed. This would leave ${from.name} (${from.id}), active since ${since}, for ${to.name} (${to.id}), active since ${to.effective_at}. If that is right, add: --from ${from.id} --to ${to.id}`,
  );
}

async function list(): Promise<void> {
  const { decks, total } = await ask("GET /api/operator/decks");
  const shown = decks.length === total ? String(total) : `${decks.length} of ${total}`;
  show({ decks, total }, [...decks.flatMap(deckLines), total === 0 ? "There is no deck." : `${shown} decks.`]);
}

function deckLines({ id, name, trunk, prices, stored_at: storedAt, activations }: DeckResponse): string[] {
  const owner = trunk === null ? "" : `trunk ${printableLine(trunk)}, `;
  return [
    `${id}  ${printableLine(name)}  ${owner}${prices} prices, stored ${storedAt}`,
    ...activations.map(
      ({ state, effective_at: at, operator, reason }) =>
        `  ${state === "active" ? "ACTIVE since" : "from"} ${at}, by ${printableLine(operator)}: ${printableLine(reason)}`,
    ),
  ];
}

async function importFile(path: string, options: ImportOptions): Promise<void> {
  const howToRead = {
    ...kindOf(options),
    effective: options.effective === undefined ? undefined : timeOrNow("--effective", options.effective),
    increments: options.increments,
    dates: options.dates as "dmy" | "mdy" | undefined,
    skip: options.skip?.replaceAll(" ", ""),
    skip_words: options.skipWord.length === 0 ? undefined : options.skipWord.join("\n"),
    columns: options.column.length === 0 ? undefined : options.column.join("\n"),
  };
  const query = {
    ...howToRead,
    file: basename(path),
    name: options.name,
    new_trunk: options.newTrunk,
    kind_sure: flag(options.kindSure),
    new_columns: flag(options.newColumns),
    complete: flag(options.complete),
    preview: options.preview,
    reason: options.reason,
  };
  const { badRows } = options;
  if (badRows !== undefined) {
    const rows = await uploadForFile("POST /api/operator/decks/bad-rows", { query: howToRead }, path);
    await pipeline(rows, createWriteStream(badRows));
  }
  const report = await upload("POST /api/operator/decks/import", { query }, path);
  const shown = options.all === true ? report : shortened(report);
  show(shown, reportLines(shown));
  await printOutcome(report);
}

async function printOutcome({ deck, activated, proposal, refusals, preview }: DeckReportResponse): Promise<void> {
  if (deck !== null) print(`Stored as deck ${deck}.`);
  await refuseWaiting("activate-deck", { proposal });
  if (activated !== null) print(activationText(activated));
  else if (deck !== null) print(`It is not active yet: use \`decks activate ${deck}\`.`);
  if (deck === null) print("Nothing is stored.");
  if (deck === null && refusals.length === 0)
    print(`Compare the example calls with the carrier's paper. To store the list as it is shown here: --preview ${preview}`);
  if (refusals.length > 0) process.exitCode = EXIT.faults;
}

/** The same with the first entries of each list. */
function shortened(report: DeckReportResponse): DeckReportResponse {
  const first = <Entry>(entries: readonly Entry[]) => entries.slice(0, MAX_SHOWN);
  return {
    ...report,
    bad_rows: report.bad_rows.map((one) => ({ ...one, rows: first(one.rows) })),
    notices: { ...report.notices, rows: first(report.notices.rows) },
    money: { ...report.money, countries: first(report.money.countries) },
    jumps: { ...report.jumps, changes: first(report.jumps.changes) },
  };
}

function activationText({ deck, effective_at: at, next }: ActivatedResponse): string {
  const owner = deck.trunk === null ? "" : ` for trunk ${printableLine(deck.trunk)}`;
  const text = `${printableLine(deck.name)} is active${owner} from ${at}. Running services take it within a minute.`;
  if (next === null) return text;
  const { name, effective_at: follows } = next;
  return `${text}\n${printableLine(name)} follows on ${follows}. To prevent that: \`decks activate ${deck.id} --effective ${follows}\`.`;
}

/** What a list prices. @throws CommandError if it isn't said */
function kindOf({ kind, trunk }: Kind): { readonly kind: ListKind; readonly trunk?: string } {
  if (kind !== "sale" && kind !== "trunk")
    throw new CommandError(
      "Say what it prices: --kind sale (prices that customers pay), or --kind trunk with --trunk (the costs of one trunk).",
    );
  if (kind === "sale" && trunk !== undefined)
    throw new CommandError("Prices that customers pay belong to no trunk: leave --trunk out, or say --kind trunk.");
  if (kind === "sale") return { kind };
  if (!trunk?.trim()) throw new CommandError("--kind trunk needs --trunk: a name in the exchange's file of trunks.");
  return { kind, trunk };
}

function timeOrNow(option: string, text: string): string {
  return text === "now" ? text : readTime(option, text).toISOString();
}

function flag(given: boolean | undefined): "true" | "false" {
  return given === true ? "true" : "false";
}
