import type pg from "pg";

/** Ends a connection here and now; asking the other side to end it would wait for an answer. */
export function cutConnection(client: pg.Client | pg.PoolClient): void {
  const { connection } = client as unknown as { connection?: { stream?: { destroy(): void } } };
  connection?.stream?.destroy();
}
