import { basename } from "node:path";
import { printableLine } from "@farline/domain/clean-text.ts";
import {
  cancelDeck,
  columnMap,
  importDeck,
  listDecks,
  presentReport,
  readIncrements,
  readStepBack,
  rollBackDeck,
  writeBadRows,
  type DateOrder,
  type Increments,
} from "@farline/server/decks/decks.ts";
import { waitingFor } from "@farline/server/operator/operator.ts";
import { AppError } from "@farline/server/platform/app-error.ts";
import type { Command } from "commander";
import { countOf, EXIT, reasoned, run, print, show, type Reasoned } from "../commands.ts";
import { reportLines } from "./deck-report.ts";
import { CommandError } from "../installation.ts";
import { asOperator, withContext } from "../open-context.ts";
import { activationText, operate } from "../operate.ts";
import { readTime } from "../read-time.ts";
import { addPriceCommands } from "./price-commands.ts";

const MAX_SKIPPED = 1_000;
/** Entries of each list without --all. */
const MAX_SHOWN = 20;
const MAX_TRUNK_NAME = 64;

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
  decks.command("list", { isDefault: true }).description("decks, newest first, and when each is in force").action(run(list));
  ofKind(
    reasoned(decks.command("import <file>").description("show how a carrier's CSV file is read, or store it as it was shown")),
  )
    .option("--preview <id>", "store the list, as the report with this id showed it; without it, nothing is stored")
    .option("--effective <time>", "when to put it in force: ISO 8601 or now; only stored by default")
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
    .option("--all", "list everything, not only the first 20 of each kind")
    .option("--bad-rows <file>", "also write every row that cannot be used to this CSV file, for the carrier")
    .option("--complete", "the file is the whole list, even if it lacks most of what is in force")
    .action(run(importFile, EXIT.faults));
  addPriceCommands(decks);
  reasoned(decks.command("activate <deck>").description("put a stored deck in force (its id or the start of it)"))
    .option("--at <time>", "needed: ISO 8601 or now")
    .action(
      run(async (deck: string, { at, reason }: Reasoned & { at?: string }) => {
        if (at === undefined) throw new CommandError("--at says from when the deck is in force: now, or a time like 2026-12-01.");
        await operate("activate-deck", { deck, at: timeOrNow("--at", at)?.toISOString() ?? null, reason });
      }),
    );
  reasoned(decks.command("cancel <deck>").description("cancel the future activation of a deck")).action(
    run(async (deck: string, { reason }: Reasoned) => {
      const times = await asOperator(process.env, "decks", (ctx) => cancelDeck(ctx, { deck, reason }));
      print(`Cancelled: ${times.map((one) => one.toISOString()).join(", ")}. Running services take it within a minute.`);
    }),
  );
  ofKind(reasoned(decks.command("roll-back").description("put the deck before the present one in force again")))
    .option("--from <deck>", "the deck in force that you leave, as the command without this shows it")
    .option("--to <deck>", "the earlier deck that is in force again, as the command without this shows it")
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
  const trunk = trunkOf(options);
  const { from, to, reason } = options;
  const activated = await asOperator(process.env, "decks", async (ctx) => {
    if (from !== undefined && to !== undefined) return rollBackDeck(ctx, { trunk, from, to, reason });
    const step = await readStepBack(ctx, trunk);
    if (step === null || step.to === null) throw new AppError("validation_failed", { reason: "operator.deck_none_before" });
    const since = (one: typeof step.from) => `${one.name} (${one.id}), in force since ${one.effective_at.toISOString()}`;
    throw new CommandError(
      `Nothing has changed. This would leave ${since(step.from)}, for ${since(step.to)}. If that is right, add: --from ${step.from.id} --to ${step.to.id}`,
    );
  });
  print(activationText(activated));
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
  const order = {
    path,
    source: basename(path),
    trunk: trunkOf(options),
    newTrunk: options.newTrunk ?? null,
    kindSure: options.kindSure === true,
    name: options.name ?? null,
    effective: options.effective === undefined ? null : (timeOrNow("--effective", options.effective) ?? "now"),
    increments: increments(options.increments),
    dates: dates(options.dates),
    skipLines: lines(options.skip),
    skipWords: new Set(options.skipWord),
    columns: columnMap(options.column),
    newColumns: options.newColumns === true,
    complete: options.complete === true,
    preview: options.preview ?? null,
    reason: options.reason,
  } as const;
  const { badRows } = options;
  const report = await asOperator(process.env, "decks", async (ctx) => {
    if (badRows !== undefined) await writeBadRows(ctx, { ...order, to: badRows });
    return importDeck(ctx, order);
  });
  const shown = presentReport(report, options.all === true ? Infinity : MAX_SHOWN);
  show(shown, reportLines(shown));
  if (report.stored !== null) print(`Stored as deck ${report.stored.id}.`);
  if (report.proposal !== null) throw waitingFor(report.proposal);
  if (report.activated !== null) print(activationText(report.activated));
  else if (report.stored !== null) print(`It is not in force yet: use \`decks activate ${report.stored.id}\`.`);
  if (report.stored === null) print("Nothing is stored.");
  if (report.stored === null && report.refusals.length === 0)
    print(
      `Compare the example calls with the carrier's paper. To store the list as it is shown here: --preview ${report.preview}`,
    );
  if (report.refusals.length > 0) process.exitCode = EXIT.faults;
}

/** @returns null for prices that customers pay */
function trunkOf({ kind, trunk }: Kind): string | null {
  if (kind !== "sale" && kind !== "trunk")
    throw new CommandError(
      "Say what it prices: --kind sale (prices that customers pay), or --kind trunk with --trunk (the costs of one trunk).",
    );
  if (kind === "sale" && trunk !== undefined)
    throw new CommandError("Prices that customers pay belong to no trunk: leave --trunk out, or say --kind trunk.");
  if (kind === "sale") return null;
  const name = trunk?.trim() ?? "";
  if (name === "" || name.length > MAX_TRUNK_NAME)
    throw new CommandError(
      `--kind trunk needs --trunk: a name in the exchange's file of trunks, at most ${MAX_TRUNK_NAME} characters.`,
    );
  return name;
}

/** @returns null for "now" */
function timeOrNow(option: string, text: string): Date | null {
  if (text === "now") return null;
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
    throw new CommandError(
      `--skip is at most ${MAX_SKIPPED} line numbers, for example 12,99. More rows are left out by their word: --skip-word.`,
    );
  return new Set(numbers.map(Number));
}
