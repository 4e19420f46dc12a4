import { isWaiting } from "@farline/server/operator/operator.ts";
import { AppError } from "@farline/server/platform/app-error.ts";
import { printableText } from "@farline/domain/clean-text.ts";
import { Command } from "commander";
import { CommandError } from "./installation.ts";

/** Exit codes of all commands but `start`; 0 means done. */
export const EXIT = {
  /** Refused: by the service, for a wrong option, or because nobody is signed in. */
  refused: 1,
  /** Carried out, and found faults: bad rows, differences, wrong settings. */
  faults: 2,
  /** Nothing is done until a second operator confirms it. */
  waiting: 3,
} as const;
const EXIT_HELP = `
Exit codes: 0 done, ${EXIT.refused} refused, ${EXIT.faults} faults found, ${EXIT.waiting} waits for a second operator.`;
const JSON_OPTION = "--json";
/** Commands that a person watches. */
const INTERACTIVE: ReadonlySet<string> = new Set(["start", "sign-in"]);

/** Options of every command that changes something. */
export interface Reasoned {
  readonly reason: string;
}

/** What a command with --json prints at its end, as one object. Null for text. */
let report: { readonly messages: string[]; data: object } | null = null;

/** Adds the option of a command that changes something. */
export function reasoned(command: Command): Command {
  return command.requiredOption("--reason <text>", "why; kept in the record of operations");
}

/** Adds --json and the exit codes to all commands below this one that may run in a script. */
export function addCommonOptions(command: Command): void {
  for (const one of command.commands) addCommonOptions(one);
  if (command.commands.length > 0 || INTERACTIVE.has(command.name())) return;
  command
    .option(JSON_OPTION, "print one JSON object; amounts named micros are millionths of a dollar")
    .addHelpText("after", EXIT_HELP);
}

/** Refuses unknown words below `command`, with a suggestion. Commander would take them for arguments of a default command. */
export function refuseUnknownCommands(command: Command): void {
  command.hook("preSubcommand", (group, chosen) => {
    const word = group.args[0];
    if (word === undefined || word.startsWith("-") || word === chosen.name() || chosen.aliases().includes(word)) return;
    // The same commands without a default: then Commander itself refuses the word.
    const withoutDefault = new Command(group.name()).copyInheritedSettings(group);
    for (const one of group.commands) withoutDefault.addCommand(one);
    withoutDefault.parse([word], { from: "user" });
  });
  for (const one of command.commands) refuseUnknownCommands(one);
}

/**
 * Prints the message of an expected error; rethrows others.
 * @param refusedExit exit code if the service refuses; invalid options always exit with 1, and what waits for a second operator with 3
 */
export function run<Arguments extends unknown[]>(
  action: (...given: Arguments) => Promise<unknown>,
  refusedExit: number = EXIT.refused,
) {
  return async (...given: Arguments): Promise<void> => {
    report = wantsJson(given) ? { messages: [], data: {} } : null;
    try {
      await action(...given);
    } catch (error) {
      if (!(error instanceof CommandError) && !(error instanceof AppError)) throw error;
      process.exitCode = exitCodeOf(error, refusedExit);
      if (report === null) process.stderr.write(`${printableText(error.message)}\n`);
      else report.data = { ...report.data, error: error.message, ...waitingId(error) };
    }
    if (report === null) return;
    const { data, messages } = report;
    process.stdout.write(`${JSON.stringify({ ...data, messages, exit: process.exitCode ?? 0 }, toJson, 2)}\n`);
  };
}

/** Prints lines. Texts from customers and files in them cannot control the operator's terminal. */
export function print(lines: string): void {
  if (report === null) process.stdout.write(`${printableText(lines)}\n`);
  else report.messages.push(printableText(lines));
}

/** Shows data: as lines, or in the object of --json. */
export function show(data: object, lines: readonly string[]): void {
  if (report === null) print(lines.join("\n"));
  else report.data = { ...report.data, ...data };
}

/** How many of how many entries a list shows, for its last line. */
export function countOf(shown: readonly unknown[], total: number): string {
  return shown.length === total ? String(total) : `${shown.length} of ${total}`;
}

/** Commander passes the command last. */
function wantsJson(given: readonly unknown[]): boolean {
  const command = given.at(-1);
  return command instanceof Command && command.opts()["json"] === true;
}

function exitCodeOf(error: CommandError | AppError, refusedExit: number): number {
  if (!(error instanceof AppError)) return EXIT.refused;
  return isWaiting(error) ? EXIT.waiting : refusedExit;
}

function waitingId(error: CommandError | AppError): { proposal?: unknown } {
  return error instanceof AppError && isWaiting(error) ? { proposal: error.messageRef.params?.["proposal"] } : {};
}

/** Writes what JSON has no form for. */
function toJson(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (value instanceof Map) return Object.fromEntries(value);
  return value instanceof Set ? [...value] : value;
}
