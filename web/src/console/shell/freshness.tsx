import { type Query, type QueryCache, useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { useOnline } from "../../browser/page-hooks.ts";
import { isUnanswered } from "../../service/http.ts";
import { serviceNow } from "../../time/clock.ts";
import { useNow } from "../../time/use-now.ts";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./shell.module.css";

/** Older figures are not called live. Two readings in a row have failed by then. */
const LIVE_FOR_MS = 10_000;
const [SECOND_MS, MINUTE_S, HOUR_S] = [1_000, 60, 3_600];

/** Marks a query of the frame itself, which says nothing about the page. */
export const FRAME = { frame: true };
/** Marks a query that is read again and again by itself. */
export const LIVE = { live: true };

/** Whether the page's figures stay up to date by themselves, can be read again by a press, or cannot be read at all. */
type State = "live" | "read" | "lost";

/**
 * How old the page's oldest figures are, on top of every page; a press reads them again. Only that live figures went stale is announced,
 * never their age.
 */
export function Freshness() {
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const subscribe = useCallback((onChange: () => void) => cache.subscribe(onChange), [cache]);
  const shown = useSyncExternalStore(subscribe, () => stateOf(cache));
  const online = useOnline();
  useNow(SECOND_MS, shown !== "");
  if (shown === "") return null;
  const [word, readAt = ""] = shown.split(" ") as [State, string?];
  const state = online ? word : "lost";
  const ageMs = readAt === "" ? null : Math.max(0, serviceNow() - Number(readAt));
  const isStale = state === "lost" || (state === "live" && ageMs !== null && ageMs > LIVE_FOR_MS);
  return (
    <>
      <button
        type="button"
        className={classNames(styles.fresh, isStale && styles.stale)}
        onClick={() => void client.refetchQueries({ type: "active" })}
      >
        <span className={styles.dot} aria-hidden="true" />
        <span>{freshText(state, ageMs)}</span>
        <span className="sr-only">, read again</span>
      </button>
      <span className="sr-only" aria-live="polite">
        {isStale ? "The figures are not live." : ""}
      </span>
    </>
  );
}

/** "Live, read 2 s ago", "Not live, read 40 s ago", "Read 3 min ago", "No connection, read 40 s ago". @param ageMs null before the first reading */
export function freshText(state: State, ageMs: number | null): string {
  if (ageMs === null) return state === "lost" ? "No connection" : "Not read yet";
  const age = `read ${ageText(ageMs)} ago`;
  if (state === "lost") return `No connection, ${age}`;
  if (state === "read") return `R${age.slice(1)}`;
  return ageMs > LIVE_FOR_MS ? `Not live, ${age}` : `Live, ${age}`;
}

function ageText(ms: number): string {
  const seconds = Math.floor(ms / SECOND_MS);
  if (seconds < MINUTE_S) return `${seconds} s`;
  return seconds < HOUR_S ? `${Math.floor(seconds / MINUTE_S)} min` : `${Math.floor(seconds / HOUR_S)} h`;
}

/** The state of the page's figures and when the oldest were read, as one word that changes when they do; empty without any. */
function stateOf(cache: QueryCache): string {
  const all = cache.findAll({ type: "active", predicate: ({ meta }) => meta?.["frame"] !== true });
  const live = all.filter(({ meta }) => meta?.["live"] === true);
  const shown = live.length > 0 ? live : all;
  if (shown.length === 0) return "";
  const read = shown.filter(({ state }) => state.data !== undefined).map(readAt);
  const isLost = shown.some(({ state }) => isUnanswered(state.error));
  const state: State = isLost ? "lost" : live.length > 0 ? "live" : "read";
  return read.length === 0 ? state : `${state} ${Math.min(...read)}`;
}

/** By the service's clock where its answer says so. */
function readAt({ state: { data, dataUpdatedAt } }: Query): number {
  const at = typeof data === "object" && data !== null && "at" in data ? Date.parse(String(data.at)) : Number.NaN;
  return Number.isNaN(at) ? dataUpdatedAt : at;
}
