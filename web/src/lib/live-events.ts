import type { LiveHint } from "@farline/contract/events.ts";
import type { QueryKey } from "@tanstack/react-query";
import { LiveConnection } from "./live-connection.ts";
import { queryKeys } from "./queries.ts";
import { queryClient } from "./query-client.ts";
import { endSession, getToken, onSessionChange } from "./session.ts";

const URL = "/api/events";
/** Hints come in groups; what they ask for is read again once for the group. */
const GATHER_MS = 150;
/** Without a sign of life for this long, what is most likely to change is asked for by the clock. */
const SILENT_AFTER_MS = 60_000;
const POLL_EVERY_MS = 30_000;

const listeners = new Set<(hint: LiveHint) => void>();
const waiting = new Map<string, { key: QueryKey; beforeMs: number }>();
let gather: ReturnType<typeof setTimeout> | null = null;

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
    for (const key of [queryKeys.balance, queryKeys.calls]) refresh(key);
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
  for (const listener of listeners) listener(hint);
  switch (hint.type) {
    case "ready":
      // What was read while the connection was being made is fresh.
      for (const key of Object.values(queryKeys)) if (key !== queryKeys.config) refresh(key, sinceMs);
      return;
    case "call":
      // The lists are read again when the call is over; until then only the call itself.
      if (hint.status === "completed" || hint.status === "failed") return refresh(queryKeys.calls);
      refresh([...queryKeys.calls, hint.id]);
      return refresh([...queryKeys.calls, "live"]);
    case "balance":
      return refresh(queryKeys.balance);
    case "transactions":
      return refresh(queryKeys.transactions);
    case "payment":
      refresh(queryKeys.balance);
      return refresh(queryKeys.transactions);
    case "account":
      return refresh(queryKeys.user);
    case "contacts":
      return refresh(queryKeys.contacts);
    case "guard_rails":
      return refresh(queryKeys.guardRails);
    case "call_warning":
      return;
  }
}

/** @param beforeMs only what was read before this moment */
function refresh(key: QueryKey, beforeMs = Number.POSITIVE_INFINITY): void {
  const name = JSON.stringify(key);
  waiting.set(name, { key, beforeMs: Math.max(beforeMs, waiting.get(name)?.beforeMs ?? 0) });
  gather ??= setTimeout(() => {
    gather = null;
    const wanted = [...waiting.values()];
    waiting.clear();
    for (const { key: queryKey, beforeMs: limitMs } of wanted)
      void queryClient.invalidateQueries({ queryKey, predicate: ({ state }) => state.dataUpdatedAt < limitMs });
  }, GATHER_MS);
}
