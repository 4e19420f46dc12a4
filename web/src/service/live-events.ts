import type { LiveHint } from "@farline/contract/events.ts";
import { forgetEarlyAnswers } from "./early-answers.ts";
import { LiveConnection } from "./live-connection.ts";
import { queryKeys } from "./queries.ts";
import { readAgain } from "./read-again.ts";
import { endSession, getToken, onSessionChange } from "../session/session.ts";

const URL = "/api/events";
/** Without a sign of life for this long, what is most likely to change is asked for by the clock. */
const SILENT_AFTER_MS = 60_000;
const POLL_EVERY_MS = 30_000;

const listeners = new Set<(hint: LiveHint) => void>();

/** Calls `listener` with every hint, for parts that do more than to read again. Returns the way to stop. */
export function onLiveHint(listener: (hint: LiveHint) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Keeps what the page shows fresh while somebody is signed in. Returns the way to stop. */
export function followLiveEvents(): () => void {
  let token: string | null = null;
  let connection: LiveConnection | null = null;

  const follow = () => {
    const next = getToken();
    if (next === token) return;
    connection?.close();
    token = next;
    connection =
      next === null ? null : new LiveConnection({ url: URL, token: next, onHint: take, onRefused: () => endSession(next) });
  };
  const poll = setInterval(() => {
    if (connection === null || document.hidden || Date.now() - connection.heardAtMs < SILENT_AFTER_MS) return;
    for (const key of [queryKeys.balance, queryKeys.calls]) readAgain(key);
  }, POLL_EVERY_MS);

  follow();
  const stopFollowing = onSessionChange(follow);
  return () => {
    stopFollowing();
    clearInterval(poll);
    connection?.close();
  };
}

function take(hint: LiveHint, sinceMs: number): void {
  forgetEarlyAnswers();
  for (const listener of listeners) listener(hint);
  switch (hint.type) {
    case "ready":
      // What was read while the connection was being made is fresh.
      for (const key of Object.values(queryKeys)) if (key !== queryKeys.config) readAgain(key, sinceMs);
      return;
    case "call":
      // The lists are read again when the call is over; until then only the call itself.
      if (hint.status === "completed" || hint.status === "failed") return readAgain(queryKeys.calls);
      readAgain([...queryKeys.calls, hint.id]);
      return readAgain([...queryKeys.calls, "live"]);
    case "balance":
      return readAgain(queryKeys.balance);
    case "transactions":
      return readAgain(queryKeys.transactions);
    case "payment":
      readAgain(queryKeys.balance);
      return readAgain(queryKeys.transactions);
    case "account":
      return readAgain(queryKeys.user);
    case "contacts":
      return readAgain(queryKeys.contacts);
    case "caller_id":
      return readAgain(queryKeys.callerId);
    case "guard_rails":
      return readAgain(queryKeys.guardRails);
    case "call_warning":
      return;
  }
}
