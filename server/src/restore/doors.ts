import { setTimeout as pause } from "node:timers/promises";
import type { OperatorRight } from "@farline/contract/operator/rights.ts";
import type { Logger } from "pino";
import { AppError } from "../platform/app-error.ts";
import type { Database } from "../platform/database/database.ts";
import type { App } from "../platform/http/http.ts";
import { restoreInProgress } from "./restore.store.ts";

const READ_EVERY_MS = 2_000;
const RETRY_AFTER_SECONDS = 60;
const READING: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const OPERATORS = "/api/operator/";
/** Rights of operators that move money. */
const MONEY_RIGHTS: ReadonlySet<OperatorRight> = new Set(["refund", "money", "promotions"]);

/** Whether the service takes orders. It does not while its database is being restored and the books may lack something. */
export interface Doors {
  readonly closed: boolean;
  close(): Promise<void>;
}

/** Reads whether a restore is in progress, now and every two seconds. If it cannot be read, the latest answer counts. */
export async function watchDoors({ db, log }: { db: Database; log: Logger }): Promise<Doors> {
  const stop = new AbortController();
  const isClosed = async () => (await restoreInProgress(db)) !== undefined;
  let closed = await isClosed();
  if (closed) log.warn("a restore is in progress: calls, payments and all other changes are refused");
  const watch = async () => {
    while (!stop.signal.aborted) {
      await pause(READ_EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      if (stop.signal.aborted) return;
      const now = await isClosed().catch((error: unknown) => {
        log.warn({ err: error }, "could not read whether a restore is in progress");
        return closed;
      });
      if (now !== closed)
        log.warn(now ? "a restore is in progress: the doors are closed" : "the restore is over: the doors are open");
      closed = now;
    }
  };
  const done = watch();
  return {
    get closed() {
      return closed;
    },
    async close() {
      stop.abort();
      await done;
    },
  };
}

/**
 * Refuses every request that changes something while the doors are closed. Providers' events are accepted, because they only report what
 * has happened, and operators can sign in and do what moves no money. Call it before adding routes.
 */
export function refuseWhileClosed(app: App, doors: Pick<Doors, "closed">): void {
  app.addHook("onRequest", async (request) => {
    if (!doors.closed || READING.has(request.method)) return;
    const { url = "", config } = request.routeOptions;
    if (config.access === "provider") return;
    if (url.startsWith(OPERATORS) && !movesMoney(config.right)) return;
    throw refusal();
  });
}

function movesMoney(right: OperatorRight | undefined): boolean {
  return right !== undefined && MONEY_RIGHTS.has(right);
}

function refusal(): AppError {
  return new AppError("unavailable", { reason: "restoring", retryAfterSeconds: RETRY_AFTER_SECONDS });
}
