import { settleWithin } from "@farline/domain/settle-within.ts";
import { onPageBack } from "../browser/page-life.ts";
import { sessionEndIn } from "./http.ts";
import type { LiveHint } from "@farline/contract/events.ts";
import { LiveConnection } from "./live-connection.ts";
import { queryKeys } from "./queries.ts";
import { readAgain } from "./read-again.ts";
import { endSession, getToken, onSessionChange } from "../session/session.ts";
import { every } from "../time/timers.ts";
import { onClockJump } from "../time/wake.ts";

const URL = "/api/events";
/** After this long without a sign of life, the page polls what changes most often. */
const SILENT_AFTER_MS = 60_000;
const POLL_EVERY_MS = 30_000;
/** The page is shown without live events if they take longer to open. */
const OPEN_LIMIT_MS = 1000;

/** Enough of the token to tell sessions apart. */
const NAME_CHARS = 8;

const listeners = new Set<(hint: LiveHint) => void>();

/** Calls `listener` with every hint, for code that does more than refetch. Returns the unsubscribe function. */
export function onLiveHint(listener: (hint: LiveHint) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

let connection: LiveConnection | null = null;

/** Keeps the page up to date while a user is signed in. Returns the stop function. */
export function followLiveEvents(): () => void {
  let token: string | null = null;

  const follow = () => {
    const next = getToken();
    if (next === token) return;
    connection?.close();
    token = next;
    connection =
      next === null
        ? null
        : new LiveConnection({
            // Only tabs of one session share it: where storage is blocked, each tab has its own.
            name: `farline-live-${next.slice(0, NAME_CHARS)}`,
            url: URL,
            token: next,
            onHint: take,
            onRefused: (body) => endSession(next, sessionEndIn(body)),
          });
  };
  const stopPolling = every(POLL_EVERY_MS, () => {
    if (connection === null || document.hidden || performance.now() - connection.heardAtMs < SILENT_AFTER_MS) return;
    for (const key of [queryKeys.balance, queryKeys.calls]) readAgain(key);
  });

  const stopWatching = onClockJump(() => connection?.renew());

  follow();
  const stopFollowing = onSessionChange(follow);
  const stopWaiting = onPageBack(() => {
    if (connection === null) return;
    connection.renew();
    // What the tab with the connection forwarded meanwhile is lost.
    take({ type: "ready" });
  });
  return () => {
    stopFollowing();
    stopWaiting();
    stopPolling();
    stopWatching();
    connection?.close();
    connection = null;
  };
}

/** Resolves once changes to whatever is requested from now on are reported. */
export async function liveEventsOpened(): Promise<void> {
  if (connection !== null) await settleWithin(connection.opened, OPEN_LIMIT_MS, () => undefined);
}

function take(hint: LiveHint): void {
  for (const listener of listeners) listener(hint);
  switch (hint.type) {
    case "ready":
      for (const key of Object.values(queryKeys)) if (key !== queryKeys.config) readAgain(key);
      return;
    case "call":
      // Refetch the lists once the call is over; until then refetch only the call.
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
    case "cases":
      return readAgain(queryKeys.cases);
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
