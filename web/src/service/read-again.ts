import type { Query, QueryKey } from "@tanstack/react-query";
import { after } from "../time/timers.ts";
import { queryClient } from "./query-client.ts";

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
export function readAgain(key: QueryKey): void {
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
