import { type QueryCache, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext, useSyncExternalStore } from "react";
import { createPortal } from "react-dom";
import { useOnline } from "../../browser/page-hooks.ts";
import { isUnanswered } from "../../service/http.ts";
import { deviceStamp } from "../../time/clock.ts";
import { useNow } from "../../time/use-now.ts";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./shell.module.css";
import { chooseZone, ownZone, usePageTitle, UTC, useZone } from "./texts.ts";

/** Figures older than this are said to be. */
const STALE_MS = 10_000;
const SECOND_MS = 1_000;
const MINUTE_S = 60;

/** Queries of the frame itself say nothing about the page. */
export const FRAME = { frame: true };
/** Of a query that is read again by itself: its figures should never be old. */
export const LIVE = { live: true };

/** Where the page's title stands: in the bar above it. */
export const TitlePlace = createContext<HTMLElement | null>(null);

/** The page's heading, in the bar at the top, and the document's title. */
export function PageTitle({ title }: { readonly title: string }) {
  usePageTitle(title);
  const place = useContext(TitlePlace);
  return place === null ? null : createPortal(<h1 className={styles.title}>{title}</h1>, place);
}

/** How old the page's oldest figures are, with a press that reads them again; "No connection" if the service does not answer. */
export function Freshness() {
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const state = useSyncExternalStore(
    (changed) => cache.subscribe(changed),
    () => stateOf(cache),
  );
  const online = useOnline();
  useNow(SECOND_MS);
  if (state === "") return null;
  const [readAt = "", kind] = state.split(" ");
  const ageMs = readAt === "" ? null : Math.max(0, deviceStamp() - Number(readAt));
  const isLost = kind === "lost" || !online;
  const isStale = isLost || (kind === "live" && ageMs !== null && ageMs > STALE_MS);
  return (
    <button
      type="button"
      className={classNames(styles.fresh, isStale && styles.stale)}
      onClick={() => void client.refetchQueries({ type: "active" })}
    >
      <span className={styles.dot} aria-hidden="true" />
      <span>{freshText({ isLost, isLive: kind === "live", ageMs })}</span>
      <span className="sr-only">, read again</span>
    </button>
  );
}

/** "Live, read 2 s ago", "Not live, read 40 s ago", "Read 3 min ago", "No connection, read 40 s ago". */
export function freshText({ isLost, isLive, ageMs }: { isLost: boolean; isLive: boolean; ageMs: number | null }): string {
  if (ageMs === null) return isLost ? "No connection" : "Not read yet";
  const seconds = Math.floor(ageMs / SECOND_MS);
  const age = seconds < 2 * MINUTE_S ? `${seconds} s` : `${Math.floor(seconds / MINUTE_S)} min`;
  if (isLost) return `No connection, read ${age} ago`;
  if (!isLive) return `Read ${age} ago`;
  return ageMs > STALE_MS ? `Not live, read ${age} ago` : `Live, read ${age} ago`;
}

/** The page's queries as one word, so that it is drawn again when that changes; empty without any. */
function stateOf(cache: QueryCache): string {
  const shown = cache.getAll().filter((query) => query.isActive() && query.meta?.["frame"] !== true);
  if (shown.length === 0) return "";
  const read = shown.map(({ state }) => state.dataUpdatedAt).filter((at) => at > 0);
  const lost = shown.some(({ state }) => state.status === "error" && isUnanswered(state.error));
  const kind = lost ? "lost" : shown.some(({ meta }) => meta?.["live"] === true) ? "live" : "read";
  return `${read.length === 0 ? "" : Math.min(...read)} ${kind}`;
}

/** In which zone the console writes times: UTC, or this machine's. Nothing where they are the same. */
export function ZoneSwitch() {
  const zone = useZone();
  const own = ownZone();
  if (own === UTC || own === `Etc/${UTC}`) return null;
  return (
    <div className={styles.zone} role="group" aria-label="Time zone">
      {[UTC, own].map((one) => (
        <button key={one} type="button" aria-pressed={zone === one} title={one} onClick={() => chooseZone(one === own)}>
          {one.slice(one.lastIndexOf("/") + 1).replaceAll("_", " ")}
        </button>
      ))}
    </div>
  );
}
