import { readSetting, writeSetting } from "../browser/storage.ts";
import { getToken, LAST_SEEN_KEY } from "../session/session.ts";
import { deviceStamp, isRecent, serviceNow } from "../time/clock.ts";

/** What this browser keeps as it was last seen, to show it at once: lists, and the customer's own profile. */
type List = "user" | "calls" | "totals" | "contacts" | "favorites" | "transactions";

/** Rows of one list. */
export const MAX_SEEN_ROWS = 30;
/** Characters of one list as JSON. A longer one is not kept. */
const MAX_CHARS = 60_000;
const MAX_AGE_MS = 7 * 24 * 3_600_000;

interface Seen<Data> {
  /** Of the device's clock, for its age. */
  readonly stamp: number;
  readonly at: string;
  readonly data: Data;
}

interface Kept {
  /** Of the session that saw it, which belongs to one account. */
  readonly session: string;
  /** The build that kept it: another release may have another shape. */
  readonly release: string;
  readonly lists: Partial<Record<List, Seen<unknown>>>;
}

/** The end of the token tells sessions apart, and does not help to guess it. */
const sessionOf = (token: string): string => token.slice(-6);

const release = (): string => document.querySelector("script[type=module]")?.getAttribute("src") ?? "";

/** Keeps the newest rows of a list for the customer of this session, until the session ends in any tab (`session.ts`). */
export function keepSeen(list: List, data: unknown): void {
  const token = getToken();
  // Another tab has signed out or in, which this one has not heard of yet.
  if (token === null || readSetting("token") !== token || JSON.stringify(data).length > MAX_CHARS) return;
  const lists = { ...readKept()?.lists, [list]: { stamp: deviceStamp(), at: new Date(serviceNow()).toISOString(), data } };
  const kept: Kept = { session: sessionOf(token), release: release(), lists };
  // What only this page would remember, another tab could not remove.
  if (!writeSetting(LAST_SEEN_KEY, JSON.stringify(kept))) writeSetting(LAST_SEEN_KEY, null);
}

/** A list as this session saw it last; null if it is unknown, older than a week, or of another release. */
export function readSeen<Data>(list: List): Seen<Data> | null {
  const kept = readKept()?.lists[list];
  return kept !== undefined && isRecent(kept.stamp, MAX_AGE_MS) ? (kept as Seen<Data>) : null;
}

/** Removes lists that are known to be out of date: they would be shown, and then moved. */
export function forgetSeen(...lists: readonly List[]): void {
  const kept = readKept();
  if (kept === null) return;
  const rest = Object.fromEntries(Object.entries(kept.lists).filter(([list]) => !lists.includes(list as List)));
  writeSetting(LAST_SEEN_KEY, JSON.stringify({ ...kept, lists: rest } satisfies Kept));
}

function readKept(): Kept | null {
  const token = getToken();
  const text = readSetting(LAST_SEEN_KEY);
  if (token === null || text === null) return null;
  try {
    const kept = JSON.parse(text) as Kept;
    return kept.session === sessionOf(token) && kept.release === release() ? kept : null;
  } catch {
    return null;
  }
}

/** Options of a query that starts with what was last seen, and fetches the truth whatever its age. @param shape makes the query's data of it */
export function startFromSeen<Rows, Data>(list: List | null, shape: (seen: Rows) => Data) {
  return {
    initialData: (): Data | undefined => {
      const seen = list === null ? null : readSeen<Rows>(list);
      return seen === null ? undefined : shape(seen.data);
    },
    initialDataUpdatedAt: 0,
  };
}

/** When a query's data was last seen, an instant; null once it is true. */
export function seenAt(list: List, of: { data: unknown; dataUpdatedAt: number; isPlaceholderData: boolean }): string | null {
  return of.data === undefined || of.dataUpdatedAt > 0 || of.isPlaceholderData ? null : (readSeen(list)?.at ?? null);
}
