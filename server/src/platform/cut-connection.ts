import type pg from "pg";

/** Destroys a connection at once: a graceful close would wait for the other side. */
export function cutConnection(client: pg.Client | pg.PoolClient): void {
  const { connection } = client as unknown as { connection?: { stream?: { destroy(): void } } };
  connection?.stream?.destroy();
}
