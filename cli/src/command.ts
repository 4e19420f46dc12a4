import { printableText } from "@farline/domain/text/clean-text.ts";
import { Command } from "commander";
import { readAddresses, SettingsError } from "./start/settings.ts";

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
const LOCAL_HELP = `
Runs on the machine of the installation, with its settings: it needs no sign-in.`;
const JSON_OPTION = "--json";
/** Commands that a person watches. */
const INTERACTIVE: ReadonlySet<string> = new Set(["start", "sign-in"]);
/** What refuses the command, not what it brings. */
const NOT_THE_INPUT: ReadonlySet<string | null> = new Set([null, "unauthenticated", "reauth_required", "unavailable"]);
/** Control characters that JSON allows, and marks that turn the direction of text. */
// oxlint-disable-next-line no-control-regex, no-misleading-character-class
const UNPRINTABLE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A command cannot run. The message is one sentence that says what to do. */
export class CommandError extends Error {
  /** The code of the service's refusal; null if the command itself cannot run. */
  readonly code: string | null;

  constructor(message: string, code: string | null = null) {
    super(message);
    this.code = code;
  }
}

/** Nothing is done yet: a second operator must confirm it. */
export class WaitingError extends CommandError {
  readonly proposal: string;

  constructor(message: string, proposal: string) {
    super(message);
    this.proposal = proposal;
  }
}

/** Options of every command that changes something. */
export interface Reasoned {
  readonly reason: string;
}

/** What a command with --json prints at its end, as one object. Null for text. */
let report: { readonly messages: string[]; data: object } | null = null;
let at: string | undefined;
const local = new WeakSet<Command>();

/** Marks a command, and those below it, as one that needs the machine of the installation instead of the service. */
export function onMachine(command: Command): Command {
  local.add(command);
  return command;
}

/** Adds the option of a command that changes something. */
export function reasoned(command: Command): Command {
  return command.requiredOption("--reason <text>", "why; kept in the audit log");
}

/** Adds --at, --json and the exit codes to all commands below this one. Commander's own refusals, such as of a wrong option, follow --json too. */
export function addCommonOptions(command: Command, isLocal = false): void {
  const staysHere = isLocal || local.has(command);
  command.configureOutput({
    outputError: (text, write) =>
      asksForJson(command) ? printJson({ error: text.trim().replace(/^error: /, ""), messages: [] }, EXIT.refused) : write(text),
  });
  for (const one of command.commands) addCommonOptions(one, staysHere);
  if (command.commands.length > 0) return;
  if (staysHere) command.addHelpText("after", LOCAL_HELP);
  else command.option("--at <address>", "of the service; the installation of this machine by default");
  if (INTERACTIVE.has(command.name())) return;
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
 * @param refusedExit exit code if the service refuses; invalid options and a sign-in that has ended always exit with 1
 */
export function run<Arguments extends unknown[]>(
  action: (...given: Arguments) => Promise<unknown>,
  refusedExit: number = EXIT.refused,
) {
  return async (...given: Arguments): Promise<void> => {
    const options = optionsOf(given);
    report = options["json"] === true ? { messages: [], data: {} } : null;
    at = options["at"] as string | undefined;
    try {
      await action(...given);
    } catch (thrown) {
      const error = expected(thrown);
      if (error === null) throw thrown;
      const waits = error instanceof WaitingError;
      process.exitCode = waits ? EXIT.waiting : NOT_THE_INPUT.has(error.code) ? EXIT.refused : refusedExit;
      if (report === null) process.stderr.write(`${printableText(error.message)}\n`);
      else report.data = { ...report.data, error: error.message, ...(waits ? { proposal: error.proposal } : {}) };
    }
    if (report === null) return;
    const { data, messages } = report;
    printJson({ ...data, messages }, process.exitCode ?? 0);
  };
}

/** PostgreSQL's codes: no such role, password or database, no right to connect, no room, and starting or stopping. */
const LETS_NOBODY_IN = /^(?:28|3D|42501|53|57P)/;

/**
 * An error that its message explains: the command's own, a wrong setting, or one of the machine, such as a file that cannot be written or a database that lets
 * nobody in. PostgreSQL translates its word for that (`lc_messages`), so its code decides.
 */
function expected(error: unknown): CommandError | null {
  if (error instanceof CommandError) return error;
  if (error instanceof SettingsError) return new CommandError(error.message);
  const { syscall, code = "", message } = error as NodeJS.ErrnoException;
  return syscall === undefined && !LETS_NOBODY_IN.test(code) ? null : new CommandError(`It cannot be done: ${message}.`);
}

/** The address of the service that the command was given, or of the installation on this machine. */
export function chosenAddress(): string {
  return at ?? readAddresses(process.env).publicUrl;
}

/** Prints lines. Texts from customers and files in them cannot control the operator's terminal. */
export function print(lines: string): void {
  if (report === null) process.stdout.write(`${printableText(lines)}\n`);
  else report.messages.push(printableText(lines));
}

/** Shows data: as lines, or in the object of --json. */
export function show(data: object, lines: readonly string[]): void {
  if (report === null && lines.length > 0) print(lines.join("\n"));
  if (report !== null) report.data = { ...report.data, ...data };
}

/** Commander passes the command last. */
function optionsOf(given: readonly unknown[]): Readonly<Record<string, unknown>> {
  const command = given.at(-1);
  return command instanceof Command ? command.opts() : {};
}

/** Whether the words that Commander refuses have it; the command is not known then. */
function asksForJson(command: Command): boolean {
  if (command.parent !== null) return asksForJson(command.parent);
  return (command as unknown as { readonly rawArgs: readonly string[] }).rawArgs.includes(JSON_OPTION);
}

function printJson(data: object, exit: number | string): void {
  process.stdout.write(`${toJson({ ...data, exit })}\n`);
}

function toJson(data: object): string {
  const text = JSON.stringify(data, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value), 2);
  return text.replaceAll(UNPRINTABLE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
