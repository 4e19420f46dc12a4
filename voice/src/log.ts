import { AsyncLocalStorage } from "node:async_hooks";
import { maskFields } from "@farline/domain/mask-personal.ts";
import pino, { type DestinationStream, type Logger } from "pino";

/** The service's request that caused what is logged. */
interface LogContext {
  readonly request_id: string;
}

const contexts = new AsyncLocalStorage<LogContext>();

/** Runs a function, and everything it starts, with this log context. */
export function inLogContext<Result>(context: LogContext, run: () => Result): Result {
  return contexts.run(context, run);
}

/** Logs one JSON line per event, with phone numbers masked. Never log tokens, tickets or SDP. */
export function createLog(level: string, service: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { log: maskFields },
    mixin: () => contexts.getStore() ?? {},
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
