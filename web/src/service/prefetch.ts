import { settleWithin } from "@farline/domain/durations.ts";
import { balanceQuery, configQuery, userQuery } from "./queries.ts";
import { liveEventsOpened } from "./live-events.ts";
import { queryClient } from "./query-client.ts";

/** How long the first render waits for its data, so that it does not re-render with every response. */
const PREFETCH_MS = 250;

/**
 * Requests the first render's data, once the service reports changes to it: an earlier response could be out of date unnoticed,
 * and would have to be requested again. Slower responses appear on the rendered page.
 */
export async function prefetch(start: () => readonly Promise<void>[]): Promise<void> {
  const askedAtMs = performance.now();
  await liveEventsOpened();
  const answers = Promise.all(start());
  // Over a network this slow, they would come too late as well.
  if (performance.now() - askedAtMs > PREFETCH_MS) return;
  await settleWithin(answers, PREFETCH_MS, () => undefined);
}

/** Requests what every signed-in page shows. */
export function prefetchShell(): Promise<void> {
  return prefetch(() => [
    queryClient.prefetchQuery(configQuery),
    queryClient.prefetchQuery(userQuery),
    queryClient.prefetchQuery(balanceQuery),
  ]);
}
