import { AsyncLocalStorage } from "node:async_hooks";
import { maskFields } from "@farline/domain/mask-personal.ts";
import pino, { type DestinationStream, type Logger } from "pino";

/** The service's request that caused what is logged, and the call that it is about: the service's id of it, and its session's. */
interface LogContext {
  readonly request_id: string;
  call?: string | undefined;
  session?: string;
}

const contexts = new AsyncLocalStorage<LogContext>();

/** Runs a function, and everything it starts, with this log context. */
export function inLogContext<Result>(context: LogContext, run: () => Result): Result {
  return contexts.run(context, run);
}

/** Names the call's session in all further log lines of the running request. */
export function nameSession(session: string): void {
  Object.assign(contexts.getStore() ?? {}, { session });
}

/** Logs one JSON line per event, with phone numbers masked. Never log tokens, tickets or SDP. */
export function createLog(level: string, service: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { log: maskFields },
    // A copy, because pino adds the line's own fields to it.
    mixin: () => ({ ...contexts.getStore() }),
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
