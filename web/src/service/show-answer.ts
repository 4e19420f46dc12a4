import type { InferDataFromTag, QueryClient, QueryKey } from "@tanstack/react-query";

/** Shows a change's answer. A request that is still in progress may bring older data, so it is cancelled. */
export async function showAnswerIn<Key extends QueryKey>(
  client: QueryClient,
  queryKey: Key,
  answer: InferDataFromTag<unknown, Key>,
): Promise<void> {
  await client.cancelQueries({ queryKey, exact: true });
  client.setQueryData(queryKey, answer);
}

/**
 * Shows a change in everything that is kept below a key. Requests that are still in progress may bring older data, so they are cancelled.
 * @param change returns what it does not concern as it is
 * @returns repeats the cancelled requests, once the service has made the change
 */
export async function showChangeIn<Data>(
  client: QueryClient,
  queryKey: QueryKey,
  change: (data: Data) => Data,
): Promise<() => Promise<void>> {
  const cancelled = new Set(client.getQueryCache().findAll({ queryKey, fetchStatus: "fetching" }));
  await client.cancelQueries({ queryKey });
  client.setQueriesData<Data>({ queryKey }, (data) => data && change(data));
  return () => client.invalidateQueries({ queryKey, predicate: (query) => cancelled.has(query) });
}
