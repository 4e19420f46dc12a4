import { AppError } from "../../platform/app-error.ts";
import type { App } from "../../platform/http/http.ts";
import { sessionIfAny } from "./session-guards.ts";

const WAIT_MS = 5_000;
const MAX_WAITING = 200;
const RETRY_AFTER_SECONDS = 2;
/** It lasts as long as its page, and waits for no lock. */
const NO_TURN = "/api/events";

interface Account {
  running: number;
  /** Of requests that wait, the first come first. */
  readonly waiting: (() => void)[];
}

/**
 * Limits how many requests on one account are in progress in this process. The others wait without a database connection, so a locked
 * account cannot take every connection of the pool from the other customers. A family's members lock their owner's account.
 * @param atOnce requests on one account
 */
export function takeTurns(app: App, atOnce: number): void {
  const accounts = new Map<string, Account>();
  const end = (id: string, account: Account): void => {
    const next = account.waiting.shift();
    if (next !== undefined) return next();
    account.running -= 1;
    if (account.running === 0) accounts.delete(id);
  };
  app.addHook("preParsing", async (request, reply) => {
    const session = sessionIfAny(request);
    const id = session?.payerId ?? session?.id;
    if (id === undefined || request.routeOptions.url === NO_TURN) return;
    const account = accounts.get(id) ?? { running: 0, waiting: [] };
    accounts.set(id, account);
    if (account.running < atOnce) account.running += 1;
    else await turnOf(account);
    let hasEnded = false;
    const endOnce = () => {
      if (!hasEnded) end(id, account);
      hasEnded = true;
    };
    reply.raw.once("close", endOnce);
    // Its sender may have gone while it waited.
    if (reply.raw.destroyed) endOnce();
  });
}

/** @throws AppError unavailable after a time, or if too many wait */
function turnOf(account: Account): Promise<void> {
  const refused = () => new AppError("unavailable", { retryAfterSeconds: RETRY_AFTER_SECONDS });
  if (account.waiting.length >= MAX_WAITING) throw refused();
  return new Promise((resolve, reject) => {
    const begin = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      account.waiting.splice(account.waiting.indexOf(begin), 1);
      reject(refused());
    }, WAIT_MS);
    account.waiting.push(begin);
  });
}
