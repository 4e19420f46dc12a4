import type { OperatorHint } from "@farline/contract/operator/live-calls.ts";
import { type QueryKey, type UseQueryResult, keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useSyncExternalStore } from "react";
import { ApiError } from "../../service/http.ts";
import { LiveConnection } from "../../service/live-connection.ts";
import { onClockJump } from "../../time/wake.ts";
import { createPace, PACES } from "../../time/timers.ts";
import { useNow } from "../../time/use-now.ts";
import { classNames } from "../../ui/class-names.ts";
import { endConsoleSession } from "../console-request.ts";
import * as styles from "../console.module.css";

const SECOND_MS = 1_000;
/** Older figures are not called live. Two readings in a row have failed by then. */
const LIVE_FOR_MS = 10_000;
const PLAN_MS = PACES.consoleReading.floorMs;
const RETRY_MS = PACES.consoleReading.ceilingMs;

/** What is read again and again says when the service read it. */
interface Dated {
  /** ISO 8601. */
  readonly at: string;
}

interface LiveReadingOptions<Data extends Dated> {
  readonly queryKey: QueryKey;
  /** Reads once. `unattended`: the page does it by itself, which must not keep the session alive. */
  readonly read: (unattended: boolean) => Promise<Data>;
  /** Whether to show the last figures of another key until those of this key have arrived. */
  readonly keepPrevious?: boolean;
}

/**
 * Reads while the page is visible: soon after a hint that calls changed, and every few seconds without one, because hints stop when calls
 * stop. Only what `read` asks for travels, at most once in `PACES.consoleReading.soonMs`. `Freshness` shows the age.
 */
export function useLiveReading<Data extends Dated>({
  queryKey,
  read,
  keepPrevious = false,
}: LiveReadingOptions<Data>): UseQueryResult<Data> {
  const client = useQueryClient();
  const query = useQuery({
    queryKey,
    queryFn: () => read(client.getQueryData(queryKey) !== undefined),
    meta: { live: true },
    ...(keepPrevious && { placeholderData: keepPreviousData }),
  });
  const again = useRef(query.refetch);
  useEffect(() => {
    again.current = query.refetch;
  }, [query.refetch]);
  useEffect(() => {
    const isOver = new AbortController();
    const readAgain = async (): Promise<void> => {
      if (document.visibilityState === "hidden") return;
      const { isError } = await again.current({ cancelRefetch: false });
      if (!isOver.signal.aborted) pace.plan(isError ? RETRY_MS : PLAN_MS);
    };
    const pace = createPace(PACES.consoleReading, () => void readAgain());
    const stop = readWhen(() => pace.soon());
    pace.plan(PLAN_MS);
    return () => {
      isOver.abort();
      pace.stop();
      stop();
    };
  }, []);
  return query;
}

/** Calls `soon` when figures may have changed: on hints, when the page is seen again, and when the network is back. Returns what ends it. */
function readWhen(soon: () => void): () => void {
  let isOpen = false;
  const connection = new LiveConnection<OperatorHint>({
    name: "farline-operator-live",
    url: "/api/operator/events",
    token: null,
    onHint: ({ type }) => {
      // The page has just read what the first `ready` would have it read; a later one follows a lost connection.
      if (type === "calls" || isOpen) soon();
      isOpen = true;
    },
    onRefused: endConsoleSession,
  });
  const stopJumps = onClockJump(soon);
  document.addEventListener("visibilitychange", soon);
  window.addEventListener("online", soon);
  return () => {
    connection.close();
    stopJumps();
    document.removeEventListener("visibilitychange", soon);
    window.removeEventListener("online", soon);
  };
}

/**
 * How old the page's live figures are, for the top of the console; nothing on a page without any. Only that they went stale is announced,
 * never their age.
 */
export function Freshness() {
  const state = useOldestReading();
  const now = useNow(SECOND_MS, state !== undefined);
  if (state === undefined) return null;
  const ageMs = Math.max(0, now - Date.parse((state.data as Dated).at));
  const isCut = state.error instanceof ApiError && state.error.status === 0;
  const isStale = isCut || ageMs > LIVE_FOR_MS;
  const word = isCut ? "No connection" : isStale ? "Not live" : "Live";
  return (
    <p className={classNames(styles.fresh, isStale && styles.stale)}>
      <span className={styles.dot} aria-hidden="true" />
      <span>{`${word}, read ${ageText(ageMs)} ago`}</span>
      <span className="sr-only" role="status">
        {isStale ? "The figures are not live." : ""}
      </span>
    </p>
  );
}

/** The state of the live query on this page whose figures are the oldest. */
function useOldestReading() {
  const cache = useQueryClient().getQueryCache();
  const subscribe = useCallback((onChange: () => void) => cache.subscribe(onChange), [cache]);
  return useSyncExternalStore(subscribe, () =>
    cache
      .findAll({ type: "active", predicate: ({ meta, state }) => meta?.["live"] === true && state.data !== undefined })
      .map(({ state }) => state)
      .toSorted((one, other) => one.dataUpdatedAt - other.dataUpdatedAt)
      .at(0),
  );
}

const MINUTE_S = 60;
const HOUR_S = 3_600;

function ageText(ms: number): string {
  const seconds = Math.floor(ms / SECOND_MS);
  if (seconds < MINUTE_S) return `${seconds} s`;
  return seconds < HOUR_S ? `${Math.floor(seconds / MINUTE_S)} min` : `${Math.floor(seconds / HOUR_S)} h`;
}
