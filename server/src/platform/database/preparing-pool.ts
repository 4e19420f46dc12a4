import type { PostgresPool, PostgresPoolClient } from "kysely";
import type pg from "pg";

/** Names of the statements to prepare, by their text. */
const names = new Map<string, string>();

/** Prepares a statement under this name from now on. */
export function nameStatement(text: string, name: string): void {
  names.set(text, name);
}

/** Kysely's view of the pool. Kysely passes on a statement's text alone, so its name is added here. */
export function preparingPool(pool: pg.Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect(): Promise<PostgresPoolClient> {
      const client = await pool.connect();
      const query = (text: string, values: readonly unknown[]) =>
        client.query({ name: names.get(text), text, values: [...values] });
      // The type's other overload is for streaming with cursors, which we do not use.
      return { query: query as never, release: (destroy) => client.release(destroy) };
    },
  };
}
