import { basename } from "node:path";
import { printableLine } from "@farline/domain/clean-text.ts";
import {
  activateDeck,
  cancelDeck,
  columnMap,
  importDeck,
  listDecks,
  presentReport,
  readIncrements,
  rollBackDeck,
  type Activated,
  type DateOrder,
  type Increments,
} from "@farline/server/decks/decks.ts";
import { resultOf, waitingFor } from "@farline/server/operator/operator.ts";
import type { Command } from "commander";
import { countOf, EXIT, reasoned, run, print, show, type Reasoned } from "../commands.ts";
import { reportLines } from "./deck-report.ts";
import { CommandError } from "../installation.ts";
import { asOperator, withContext } from "../open-context.ts";
import { readTime } from "../read-time.ts";
import { addPriceCommands } from "./price-commands.ts";

const MAX_SKIPPED = 1_000;
/** Entries of each list without --all. */
const MAX_SHOWN = 20;
const MAX_TRUNK_NAME = 64;

interface ImportOptions extends Reasoned {
  readonly trunk?: string;
  readonly effective?: string;
  readonly name?: string;
  readonly increments?: string;
  readonly dates?: string;
  readonly skip?: string;
  readonly column: string[];
  readonly newColumns?: boolean;
  readonly all?: boolean;
  readonly complete?: boolean;
  readonly dryRun?: boolean;
}

/** Adds the commands for rate decks. Each change is recorded with its operator and reason. */
export function addDeckCommands(program: Command): void {
  const decks = program.command("decks").description("carriers' price lists, from which our prices are derived");
  decks.command("list", { isDefault: true }).description("decks, newest first, and when each is in force").action(run(list));
  reasoned(decks.command("import <file>").description("store a carrier's CSV file as a deck"))
    .option("--effective <time>", "when to put it in force: ISO 8601 or now; only stored by default")
    .option("--trunk <name>", "the costs of this trunk, instead of the deck from which calls are sold")
    .option("--dry-run", "only show what would change")
    .option("--name <text>", "the file's name by default")
    .option("--increments <first/next>", "seconds for rows without increments, for example 60/60")
    .option("--dates <order>", "dmy or mdy, if the file's dates are ambiguous")
    .option("--skip <lines>", "lines to skip, for example 12,99")
    .option(
      "--column <header=meaning>",
      'what a column means, for example "Dial Codes=prefix" or "Connect Fee=ignore"; may be repeated, and counts for the next file too',
      (text: string, others: string[]) => [...others, text],
      [],
    )
    .option("--new-columns", "the columns may differ from those of the latest file")
    .option("--all", "list everything, not only the first 20 of each kind")
    .option("--complete", "the file is the whole list, even if it lacks most of what is in force")
    .action(run(importFile, EXIT.faults));
  addPriceCommands(decks);
  reasoned(decks.command("activate <deck>").description("put a stored deck in force (its id or the start of it)"))
    .option("--at <time>", "ISO 8601; now by default")
    .action(
      run(async (deck: string, { at, reason }: Reasoned & { at?: string }) => {
        const order = { deck, at: timeOrNow("--at", at) };
        printActivation(resultOf(await asOperator(process.env, "decks", (ctx) => activateDeck(ctx, { ...order, reason }))));
      }),
    );
  reasoned(decks.command("cancel <deck>").description("cancel the future activation of a deck")).action(
    run(async (deck: string, { reason }: Reasoned) => {
      const times = await asOperator(process.env, "decks", (ctx) => cancelDeck(ctx, { deck, reason }));
      print(`Cancelled: ${times.map((one) => one.toISOString()).join(", ")}. Running services take it within a minute.`);
    }),
  );
  reasoned(decks.command("roll-back").description("put the previous deck in force again"))
    .option("--trunk <name>", "the deck of this trunk, instead of the one from which calls are sold")
    .action(
      run(async ({ trunk, reason }: Reasoned & { trunk?: string }) =>
        printActivation(await asOperator(process.env, "decks", (ctx) => rollBackDeck(ctx, { trunk: trunkName(trunk), reason }))),
      ),
    );
}

async function list(): Promise<void> {
  const { decks, total } = await withContext(process.env, listDecks);
  show({ decks, total }, [
    ...decks.flatMap(({ id, name, trunk, prices, stored_at: storedAt, activations }) => {
      const owner = trunk === null ? "" : `trunk ${printableLine(trunk)}, `;
      return [
        `${id}  ${printableLine(name)}  ${owner}${prices} prices, stored ${storedAt}`,
        ...activations.map(
          ({ state, effective_at: at, operator, reason }) =>
            `  ${state === "in_force" ? "IN FORCE since" : "from"} ${at}, by ${printableLine(operator)}: ${printableLine(reason)}`,
        ),
      ];
    }),
    total === 0 ? "There is no deck." : `${countOf(decks, total)} decks.`,
  ]);
}

async function importFile(path: string, options: ImportOptions): Promise<void> {
  const report = await asOperator(process.env, "decks", (ctx) =>
    importDeck(ctx, {
      path,
      source: basename(path),
      trunk: trunkName(options.trunk),
      name: options.name ?? null,
      effective: options.effective === undefined ? null : (timeOrNow("--effective", options.effective) ?? "now"),
      increments: increments(options.increments),
      dates: dates(options.dates),
      skipLines: lines(options.skip),
      columns: columnMap(options.column),
      newColumns: options.newColumns === true,
      complete: options.complete === true,
      dryRun: options.dryRun === true,
      reason: options.reason,
    }),
  );
  const shown = presentReport(report, options.all === true ? Infinity : MAX_SHOWN);
  show(shown, reportLines(shown));
  if (report.stored !== null) print(`Stored as deck ${report.stored.id}.`);
  if (report.proposal !== null) throw waitingFor(report.proposal);
  if (report.activated !== null) printActivation(report.activated);
  else if (report.stored !== null) print(`It is not in force yet: use \`decks activate ${report.stored.id}\`.`);
  if (options.dryRun === true) print("Dry run: nothing is stored.");
  else if (report.stored === null) print("Nothing is stored.");
  if (report.refusals.length > 0) process.exitCode = EXIT.faults;
}

export function printActivation({ deck, effectiveAt, next }: Activated): void {
  const owner = deck.trunk === null ? "" : ` for trunk ${printableLine(deck.trunk)}`;
  print(
    `${printableLine(deck.name)} is in force${owner} from ${effectiveAt.toISOString()}. Running services take it within a minute.`,
  );
  if (next !== null)
    print(
      `${printableLine(next.name)} follows on ${next.effectiveAt.toISOString()}. To prevent that: \`decks activate ${deck.id} --at ${next.effectiveAt.toISOString()}\`.`,
    );
}

function trunkName(text: string | undefined): string | null {
  if (text !== undefined && (text === "" || text.length > MAX_TRUNK_NAME))
    throw new CommandError(`--trunk is a name in the exchange's file of trunks, at most ${MAX_TRUNK_NAME} characters.`);
  return text ?? null;
}

/** @returns null for "now" and without a value */
function timeOrNow(option: string, text: string | undefined): Date | null {
  if (text === undefined || text === "now") return null;
  const at = readTime(option, text);
  print(`${option}: ${at.toISOString()}`);
  return at;
}

function increments(text: string | undefined): Increments | null {
  if (text === undefined) return null;
  const read = readIncrements(text);
  if (typeof read === "string")
    throw new CommandError("--increments are seconds, the first block before the others: 60/1 or 60/60.");
  return read;
}

function dates(text: string | undefined): DateOrder | null {
  if (text === undefined || text === "dmy" || text === "mdy") return text ?? null;
  throw new CommandError("--dates is dmy (31/12/2026) or mdy (12/31/2026).");
}

function lines(text: string | undefined): ReadonlySet<number> {
  if (text === undefined) return new Set();
  const numbers = text.split(",").map((one) => one.trim());
  if (numbers.length > MAX_SKIPPED || !numbers.every((one) => /^\d{1,8}$/.test(one)))
    throw new CommandError(`--skip is at most ${MAX_SKIPPED} line numbers, for example 12,99.`);
  return new Set(numbers.map(Number));
}
