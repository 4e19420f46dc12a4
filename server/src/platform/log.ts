import { AsyncLocalStorage } from "node:async_hooks";
import { loggable, maskFields } from "@farline/domain/mask-personal.ts";
import pino, { type DestinationStream, type Logger } from "pino";

/** The call that log lines are about: our id of it, and the voice provider's id of its session. */
interface CallInLog {
  call?: string;
  session?: string;
}
/** The request or job run that all its log lines carry, and its call. */
export type LogContext = CallInLog & ({ readonly request_id: string } | { readonly job: string; readonly job_id: string });

const contexts = new AsyncLocalStorage<LogContext | CallInLog>();
/** Third-party error messages may quote whole documents. */
const MAX_MESSAGE_CHARS = 1_000;
/** Length of the logged chain of causes. */
const MAX_CAUSES = 4;

/** Runs a function, and everything it starts, with this log context. */
export function inLogContext<Result>(context: LogContext, run: () => Result): Result {
  return contexts.run(context, run);
}

/** Runs a function, and everything it starts, outside any log context: work for several requests, or a connection that outlives them. */
export function withoutLogContext<Result>(run: () => Result): Result {
  return contexts.exit(run);
}

/** The call as its row or an event names it; what is not known yet is null. */
interface NamedCall {
  readonly id: string | null;
  readonly session_id: string | null;
}

/** Names the call in all further log lines of the running request, its own line included. */
export function nameCall(named: NamedCall): void {
  Object.assign(contexts.getStore() ?? {}, inLog(named));
}

/** Runs a function, and everything it starts, about one of several calls. */
export function aboutCall<Result>(named: NamedCall, run: () => Result): Result {
  return contexts.run({ ...contexts.getStore(), ...inLog(named) }, run);
}

function inLog({ id, session_id: session }: NamedCall): CallInLog {
  return { ...(id === null ? {} : { call: id }), ...(session === null ? {} : { session }) };
}

/** What is being handled: the ids that another program's log can name, too. */
export function currentIds(): { readonly requestId: string | null; readonly callId: string | null } {
  const context = contexts.getStore();
  if (context === undefined) return { requestId: null, callId: null };
  return { requestId: "request_id" in context ? context.request_id : null, callId: context.call ?? null };
}

/** Logs one JSON line per event, with phone numbers and email addresses masked. Never log names, tokens, SDP or card data. */
export function createLog(level: string, service: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { log: maskFields },
    // A copy, because pino adds the line's own fields to it.
    mixin: () => ({ ...contexts.getStore() }),
    serializers: { err: describeError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/**
 * Keeps only an error's safe fields. Others may hold secrets: PostgreSQL's `detail` contains the refused row, and errors of
 * HTTP clients contain the request headers.
 */
export function describeError(error: unknown, causes = MAX_CAUSES): object {
  if (!(error instanceof Error)) return { message: textOf(String(error)) };
  const { code, status, statusCode, requestId, constraint, table } = error as unknown as Record<string, unknown>;
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  return {
    type: error.constructor.name,
    message: textOf(error.message),
    stack: framesOf(error),
    code,
    status: status ?? statusCode,
    provider_request_id: requestId,
    constraint,
    table,
    ...(inner === undefined || causes <= 1 ? {} : { cause: describeError(inner, causes - 1) }),
  };
}

function textOf(message: string): string {
  return loggable(message.slice(0, MAX_MESSAGE_CHARS));
}

/** The stack frames without the message, which the stack repeats in full. */
function framesOf(error: Error): string | undefined {
  return error.stack?.slice(error.stack.search(/^ {4}at /m)).slice(0, MAX_MESSAGE_CHARS * 4);
}
