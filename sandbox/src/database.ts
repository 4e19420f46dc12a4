import { Pool, type PoolClient } from "pg";
import type { Logger } from "pino";

export type Tx = Pool | PoolClient;

const POOL_SIZE = 8;
const SCHEMA_LOCK = 7_395_521;

export function openPool(connectionString: string, log: Logger): Pool {
  const pool = new Pool({ connectionString, max: POOL_SIZE, connectionTimeoutMillis: 5000, statement_timeout: 10_000 });
  const report = (error: Error) => log.warn({ err: error }, "database connection lost");
  pool.on("error", report);
  pool.on("connect", (client) => client.on("error", report)); // an unhandled error would end the process
  return pool;
}

/** Runs idempotent DDL. The lock prevents two starting processes from colliding in the catalogue. */
export async function createTables(pool: Pool, statements: string): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query("select pg_advisory_xact_lock($1)", [SCHEMA_LOCK]);
    await tx.query(statements);
  });
}

/** Runs the callback in one transaction and rolls it back if the callback throws. */
export async function inTransaction<Result>(pool: Pool, run: (tx: PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const result = await run(client);
    await client.query("commit");
    client.release();
    return result;
  } catch (error) {
    await client.query("rollback").then(
      () => client.release(),
      (broken: unknown) => client.release(broken as Error), // makes the pool discard the broken connection
    );
    throw error;
  }
}
