import { randomUUID } from "node:crypto";
import { api, type AnswerOf, type EndpointName } from "@farline/contract/api/api.ts";
import type { Endpoint } from "@farline/contract/api/endpoint.ts";
import { declarationOf, type operations, type OperationName } from "@farline/contract/operator/operations.ts";
import { inEnglish } from "@farline/texts/english.ts";
import { type Command, Option } from "commander";
import { z } from "zod";
import { ask, type Sent } from "../client/service.ts";
import { CommandError, print, reasoned, run, show, WaitingError } from "../command.ts";

type RouteOf<N extends OperationName> = Extract<(typeof operations)[N]["route"], EndpointName>;
type Answer<N extends OperationName> = AnswerOf<RouteOf<N>>;

/** An option as Commander reads it, and what it means. */
type OptionWords = readonly [
  flags: string,
  description: string,
  more?: {
    /** The word without which nothing is unlimited, immediate or endless: an input's null. */
    readonly unbound?: string;
    readonly otherwise?: string;
  },
];

interface Words<N extends OperationName> {
  readonly description: string;
  /** For the keys of the input. A key without an option is not sent. */
  readonly options?: Readonly<Record<string, OptionWords>>;
  /** In place of the sentence that is declared. */
  readonly done?: (answer: Answer<N>) => string;
}

/**
 * Adds the command of an operation: its first argument is the operation's subject, the others and the options are its input.
 * @param usage as in "freeze <customer>"
 */
export function operationCommand<N extends OperationName>(
  parent: Command,
  name: N,
  usage: string,
  { description, options = {}, done }: Words<N>,
): Command {
  const shape = inputOf(name);
  const command = parent.command(usage).description(description);
  const fields = Object.entries(options).map(([key, words]) => fieldOf(key, words, shape[key]));
  for (const { option } of fields) command.addOption(option);
  if (shape["reason"]?.safeParse(null).success === false) reasoned(command);
  return command.action(
    run(async (...given: unknown[]) => {
      const [subject, ...more] = given.slice(0, -2);
      const typed = command.opts<Record<string, unknown>>();
      const input = [
        ...more.map((value, index) => [command.registeredArguments[index + 1]?.name(), value]),
        ...fields.map((field) => [field.key, readField(field, typed[field.option.attributeName()])]),
      ];
      await operate(name, subject as string | undefined, { ...Object.fromEntries(input), reason: typed["reason"] }, done);
    }),
  );
}

/**
 * Performs an operation and says what was done.
 * @throws CommandError as the service refuses; WaitingError if a second operator must confirm it
 */
export async function operate<N extends OperationName>(
  name: N,
  subject: string | undefined,
  input: Readonly<Record<string, unknown>>,
  done?: (answer: Answer<N>) => string,
): Promise<void> {
  const { route, done: declared } = declarationOf(name);
  const [, parameter] = /:(\w+)/.exec(route) ?? [];
  const key = "key" in inputOf(name) ? { key: randomUUID() } : {};
  const params = parameter === undefined || subject === undefined ? {} : { [parameter]: subject };
  const answer = await ask(route as RouteOf<N>, { params, body: { ...key, ...input } } as unknown as Sent<RouteOf<N>>);
  await refuseWaiting(name, answer);
  show(answer ?? {}, []);
  print((done ?? (declared as ((answer: Answer<N>) => string) | undefined) ?? (() => "Done."))(answer));
}

/** @throws WaitingError if the answer is a proposal, with why a second operator must confirm it */
export async function refuseWaiting(name: OperationName, answer: unknown): Promise<void> {
  const { proposal = null } = (answer ?? {}) as { proposal?: string | { id: string; why: string } | null };
  if (proposal === null) return;
  const id = typeof proposal === "string" ? proposal : proposal.id;
  const isAmount = declarationOf(name).second?.when === "amount";
  const why = isAmount ? "" : typeof proposal === "string" ? await readWhy(id) : proposal.why;
  const params = { proposer: "you", proposal: id, why };
  const reason = isAmount ? "operator.second_operator" : "operator.second_operator_change";
  throw new WaitingError(inEnglish({ reason, params }).replace("  ", " "), id);
}

async function readWhy(proposal: string): Promise<string> {
  const { items } = await ask("GET /api/operator/queue", { query: { kind: "approval", order: "due", limit: 100 } });
  const why = items.find(({ id }) => id === proposal)?.approval?.detail["why"];
  return typeof why === "string" ? why : "";
}

function inputOf(name: OperationName): Readonly<Record<string, z.ZodType>> {
  const { body }: Endpoint = (api as Readonly<Record<string, Endpoint>>)[declarationOf(name).route] ?? { access: "visitor" };
  return body instanceof z.ZodObject ? body.shape : {};
}

/** An option, and the key of the input whose value it is. */
interface Field {
  readonly key: string;
  readonly option: Option;
  readonly unbound: string | undefined;
  readonly accepts: (value: undefined | null) => boolean;
}

function fieldOf(key: string, [flags, text, { unbound, otherwise } = {}]: OptionWords, schema: z.ZodType | undefined): Field {
  const option = new Option(flags, unbound === undefined ? text : `${text}, or ${unbound}`).default(otherwise);
  if (schema instanceof z.ZodEnum) option.choices(schema.options as string[]);
  return { key, option, unbound, accepts: (value) => schema?.safeParse(value).success === true };
}

/** Reads only what is written: the service decides whether it fits. @throws CommandError without a value that is needed */
function readField({ option, unbound, accepts }: Field, typed: unknown): unknown {
  const flag = option.long ?? "";
  if (unbound !== undefined && typed === unbound) return accepts(null) ? null : undefined;
  if (typeof typed === "string" && option.flags.endsWith("<time>")) return readTime(flag, typed).toISOString();
  if (typeof typed === "string" && option.flags.endsWith("<number>")) return readNumber(flag, typed);
  if (typed !== undefined || (unbound === undefined && accepts(undefined))) return typed;
  if (unbound === undefined && accepts(null)) return null;
  throw new CommandError(`${flag} is needed: ${option.description}.`);
}

/** @throws CommandError */
export function readNumber(flag: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new CommandError(`${flag} is a whole number.`);
  return Number(text);
}

const ISO = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * Parses an ISO 8601 time; without an offset it is UTC, whatever the machine's time zone.
 * @throws CommandError for anything else, including dates that do not exist
 */
export function readTime(option: string, text: string): Date {
  const match = ISO.exec(text.trim());
  const [, day = "", clock = "00:00", zone = "Z"] = match ?? [];
  const start = new Date(`${day}T00:00:00Z`);
  const at = new Date(`${day}T${clock}${zone}`);
  const isDay = !Number.isNaN(start.getTime()) && start.toISOString().startsWith(day);
  if (match === null || !isDay || Number.isNaN(at.getTime()))
    throw new CommandError(`${option} is a time like 2026-12-01 or 2026-12-01T08:00:00Z.`);
  return at;
}
