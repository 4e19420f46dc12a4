import { AsyncLocalStorage } from "node:async_hooks";
import pino, { type DestinationStream, type Logger } from "pino";

/** Names the request or the run of a job in every line that is logged meanwhile, however deep. */
export type LogContext = { readonly request_id: string } | { readonly job: string; readonly job_id: string };

const contexts = new AsyncLocalStorage<LogContext>();
/** A message of somebody else's library may quote a whole document. */
const MAX_MESSAGE_CHARS = 1_000;
/** An error, its cause, the cause of that, and no more. */
const MAX_CAUSES = 4;

/** Runs something, and what it starts, under a context. */
export function inLogContext<Result>(context: LogContext, run: () => Result): Result {
  return contexts.run(context, run);
}

/** One JSON line per event. Phone numbers go through `maskNumber`; never tokens, SDP or card data. */
export function createLog(level: string, service: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: () => contexts.getStore() ?? {},
    serializers: { err: describeError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** "+447400123456" becomes "+44******456": enough to tell calls apart, too little to ring somebody. */
export function maskNumber(number: string): string {
  return number.length < 8 ? "***" : `${number.slice(0, 3)}******${number.slice(-3)}`;
}

/**
 * An error by the fields that are known to be safe. Others may hold secrets: PostgreSQL's `detail` has the row that was
 * refused, and the errors of HTTP clients have the headers that were sent.
 */
export function describeError(error: unknown, causes = MAX_CAUSES): object {
  if (!(error instanceof Error)) return { message: String(error).slice(0, MAX_MESSAGE_CHARS) };
  const { code, status, statusCode, requestId, constraint, table } = error as unknown as Record<string, unknown>;
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  return {
    type: error.constructor.name,
    message: error.message.slice(0, MAX_MESSAGE_CHARS),
    stack: framesOf(error),
    code,
    status: status ?? statusCode,
    provider_request_id: requestId,
    constraint,
    table,
    ...(inner === undefined || causes <= 1 ? {} : { cause: describeError(inner, causes - 1) }),
  };
}

/** The frames without the message, which the stack repeats in full. */
function framesOf(error: Error): string | undefined {
  return error.stack?.slice(error.stack.search(/^ {4}at /m)).slice(0, MAX_MESSAGE_CHARS * 4);
}
