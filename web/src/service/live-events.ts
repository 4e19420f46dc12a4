import { settleWithin } from "@farline/domain/durations.ts";
import type { LiveHint } from "@farline/contract/events.ts";
import type { Query, QueryKey } from "@tanstack/react-query";
import { onPageBack } from "../browser/page-life.ts";
import { sessionEndIn } from "./http.ts";
import { LiveConnection } from "./live-connection.ts";
import { forgetSeen } from "./last-seen.ts";
import { queryKeys } from "./queries.ts";
import { endSession, getToken, onSessionChange } from "../session/session.ts";
import { after, every } from "../time/timers.ts";
import { onClockJump } from "../time/wake.ts";
import { queryClient } from "./query-client.ts";

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
    for (const key of [queryKeys.balance, queryKeys.calls]) refetch(key);
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
      for (const key of Object.values(queryKeys)) if (key !== queryKeys.config) refetch(key);
      return;
    case "call":
      // Refetch the lists once the call is over; until then refetch only the call.
      if (hint.status === "completed" || hint.status === "failed") {
        forgetSeen("calls", "totals");
        return refetch(queryKeys.calls);
      }
      refetch([...queryKeys.calls, hint.id]);
      return refetch([...queryKeys.calls, "live"]);
    case "balance":
      // What a number would cost and be refused for depends on the credit.
      refetch([...queryKeys.calls, "quote"]);
      return refetch(queryKeys.balance);
    case "transactions":
      forgetSeen("transactions");
      return refetch(queryKeys.transactions);
    case "payment":
      forgetSeen("transactions");
      refetch(queryKeys.balance);
      return refetch(queryKeys.transactions);
    case "account":
      refetch([...queryKeys.calls, "quote"]);
      return refetch(queryKeys.user);
    case "cases":
      return refetch(queryKeys.cases);
    case "contacts":
      return refetch(queryKeys.contacts);
    case "caller_id":
      return refetch(queryKeys.callerId);
    case "guard_rails":
      return refetch(queryKeys.guardRails);
    case "call_warning":
      return;
  }
}

/** Changes come in bursts; each query they touch is refetched once per burst. */
const GATHER_MS = 150;

/** Numbers fetches and changes in the order of their occurrence. */
let lastNumber = 0;
const fetchNumbers = new WeakMap<Query, number>();
queryClient.getQueryCache().subscribe((event) => {
  if (event.type === "updated" && event.action.type === "fetch") fetchNumbers.set(event.query, ++lastNumber);
});

const waiting = new Map<string, { key: QueryKey; changeNumber: number }>();
let isGathering = false;

/** Refetches everything under `key` whose fetch started before now, once for all calls within `GATHER_MS`. */
export function refetch(key: QueryKey): void {
  waiting.set(JSON.stringify(key), { key, changeNumber: ++lastNumber });
  if (isGathering) return;
  isGathering = true;
  after(GATHER_MS, () => {
    isGathering = false;
    const wanted = [...waiting.values()];
    waiting.clear();
    for (const { key: queryKey, changeNumber } of wanted) {
      const outOfDate = (query: Query) => (fetchNumbers.get(query) ?? 0) < changeNumber;
      void queryClient.invalidateQueries({ queryKey, predicate: (query) => outOfDate(query) && !isFirstReading(query) });
      for (const query of queryClient.getQueryCache().findAll({ queryKey, predicate: isFirstReading }))
        if (outOfDate(query)) void afterFirstReading(query);
    }
  });
}

/** A first fetch cannot be restarted: there is nothing to show until it ends. */
function isFirstReading({ state }: Query): boolean {
  return state.data === undefined && state.fetchStatus === "fetching";
}

async function afterFirstReading(query: Query): Promise<void> {
  await query.promise?.catch(() => undefined);
  await queryClient.invalidateQueries({ predicate: (other) => other === query });
}
