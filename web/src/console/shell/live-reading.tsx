import type { OperatorHint } from "@farline/contract/operator/live-calls.ts";
import { type QueryKey, type UseQueryResult, keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { LiveConnection } from "../../service/live-connection.ts";
import { onClockJump } from "../../time/wake.ts";
import { createPace, PACES } from "../../time/timers.ts";
import { endConsoleSession } from "../console-request.ts";
import { LIVE } from "./freshness.tsx";

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
 * stop. Only what `read` asks for travels, at most once in `PACES.consoleReading.soonMs`. The frame shows the age.
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
    meta: LIVE,
    ...(keepPrevious && { placeholderData: keepPreviousData }),
  });
  const again = useRef(query.refetch);
  useEffect(() => {
    again.current = query.refetch;
  }, [query.refetch]);
  useEffect(() => {
    const isOver = new AbortController();
    const refetch = async (): Promise<void> => {
      if (document.visibilityState === "hidden") return;
      const { isError } = await again.current({ cancelRefetch: false });
      if (!isOver.signal.aborted) pace.plan(isError ? RETRY_MS : PLAN_MS);
    };
    const pace = createPace(PACES.consoleReading, () => void refetch());
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
