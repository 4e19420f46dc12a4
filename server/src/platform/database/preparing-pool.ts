import type { PostgresPool, PostgresPoolClient } from "kysely";
import type pg from "pg";

/** Also the code of "cached plan must not change result type": a migration changed what a prepared statement returns. */
const FEATURE_NOT_SUPPORTED = "0A000";

/** Names of the statements to prepare, by their text. */
const names = new Map<string, string>();

/** Prepares a statement under this name from now on. */
export function nameStatement(text: string, name: string): void {
  names.set(text, name);
}

/**
 * Kysely's view of the pool. Kysely passes on a statement's text alone, so its name is added here. A connection whose prepared statements are
 * stale is closed, so that the next one prepares them again.
 */
export function preparingPool(pool: pg.Pool): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect(): Promise<PostgresPoolClient> {
      const client = await pool.connect();
      let isStale = false;
      const query = async (text: string, values: readonly unknown[]) => {
        try {
          return await client.query({ name: names.get(text), text, values: [...values] });
        } catch (error) {
          isStale ||= (error as { code?: unknown }).code === FEATURE_NOT_SUPPORTED;
          throw error;
        }
      };
      // The type's other overload is for streaming with cursors, which we do not use.
      return { query: query as never, release: (destroy) => client.release(isStale || destroy) };
    },
  };
}
