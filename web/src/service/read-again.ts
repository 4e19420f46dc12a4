import type { Query, QueryKey } from "@tanstack/react-query";
import { queryClient } from "./query-client.ts";

/** Changes come in bursts; each query they touch is refetched once per burst. */
const GATHER_MS = 150;

/** When the latest fetch of each query started. */
const begunMs = new WeakMap<Query, number>();
queryClient.getQueryCache().subscribe((event) => {
  if (event.type === "updated" && event.action.type === "fetch") begunMs.set(event.query, Date.now());
});

const waiting = new Map<string, { key: QueryKey; beforeMs: number }>();
let gather: ReturnType<typeof setTimeout> | null = null;

/**
 * Refetches everything under `key`, once for all calls within `GATHER_MS`.
 * @param beforeMs refetches only queries whose fetch started before this time (milliseconds since 1970)
 */
export function readAgain(key: QueryKey, beforeMs = Date.now()): void {
  const name = JSON.stringify(key);
  waiting.set(name, { key, beforeMs: Math.max(beforeMs, waiting.get(name)?.beforeMs ?? 0) });
  gather ??= setTimeout(() => {
    gather = null;
    const wanted = [...waiting.values()];
    waiting.clear();
    for (const { key: queryKey, beforeMs: limitMs } of wanted) {
      const outOfDate = (query: Query) => (begunMs.get(query) ?? 0) < limitMs;
      void queryClient.invalidateQueries({ queryKey, predicate: (query) => outOfDate(query) && !isFirstReading(query) });
      for (const query of queryClient.getQueryCache().findAll({ queryKey, predicate: isFirstReading }))
        if (outOfDate(query)) void afterFirstReading(query);
    }
  }, GATHER_MS);
}

/** A first fetch cannot be restarted: there is nothing to show until it ends. */
function isFirstReading({ state }: Query): boolean {
  return state.data === undefined && state.fetchStatus === "fetching";
}

async function afterFirstReading(query: Query): Promise<void> {
  await query.promise?.catch(() => undefined);
  await queryClient.invalidateQueries({ predicate: (other) => other === query });
}
