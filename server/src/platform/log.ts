import { AsyncLocalStorage } from "node:async_hooks";
import { loggable, maskFields } from "@farline/domain/mask-personal.ts";
import pino, { type DestinationStream, type Logger } from "pino";

/** The request or job run that all its log lines carry. */
export type LogContext = { readonly request_id: string } | { readonly job: string; readonly job_id: string };

const contexts = new AsyncLocalStorage<LogContext>();
/** Third-party error messages may quote whole documents. */
const MAX_MESSAGE_CHARS = 1_000;
/** Length of the logged chain of causes. */
const MAX_CAUSES = 4;

/** Runs a function, and everything it starts, with this log context. */
export function inLogContext<Result>(context: LogContext, run: () => Result): Result {
  return contexts.run(context, run);
}

/** The id of the request that is being handled, if any. */
export function currentRequestId(): string | null {
  const context = contexts.getStore();
  return context !== undefined && "request_id" in context ? context.request_id : null;
}

/** Logs one JSON line per event, with phone numbers and email addresses masked. Never log names, tokens, SDP or card data. */
export function createLog(level: string, service: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { log: maskFields },
    mixin: () => contexts.getStore() ?? {},
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
