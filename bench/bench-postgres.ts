import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase, type DatabaseHandle } from "@farline/server/platform/database/database.ts";
import { startLocalPostgres } from "@farline/server/platform/database/local-postgres.ts";
import { createLog } from "@farline/server/platform/log.ts";
import { migrate } from "@farline/server/platform/database/migrate.ts";

/** A PostgreSQL instance with the service's tables, for one measurement. */
export interface BenchPostgres {
  readonly url: string;
  readonly handle: DatabaseHandle;
  /** The version and the settings that affect the measurement. */
  readonly facts: Record<string, string>;
  close(): Promise<void>;
}

const SHOWN = ["server_version", "synchronous_commit", "fsync", "full_page_writes", "shared_buffers", "max_wal_size"];

/** A filled instance that another process started. */
export async function openBenchPostgres(url: string, poolSize: number): Promise<BenchPostgres> {
  const handle = openDatabase(url, poolSize, createLog("silent", "bench"));
  return { url, handle, facts: await readFacts(handle), close: () => handle.close() };
}

/**
 * @param options.poolSize connections of `handle.pool`, all open when this returns
 * @param options.settings in addition to those of the product's own PostgreSQL
 */
export async function startBenchPostgres(options: { poolSize: number; settings?: readonly string[] }): Promise<BenchPostgres> {
  const directory = mkdtempSync(join(tmpdir(), "farline-bench-postgres-"));
  const log = createLog("silent", "bench");
  const server = await startLocalPostgres({ directory, settings: options.settings ?? [] });
  await migrate(server.url, log);
  const handle = openDatabase(server.url, options.poolSize, log);
  const clients = await Promise.all(Array.from({ length: options.poolSize }, () => handle.pool.connect()));
  for (const client of clients) client.release();
  return {
    url: server.url,
    handle,
    facts: await readFacts(handle),
    async close() {
      await handle.close();
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function readFacts({ pool }: DatabaseHandle): Promise<Record<string, string>> {
  const facts: Record<string, string> = {};
  for (const name of SHOWN) {
    const { rows } = await pool.query<{ value: string }>("select current_setting($1) as value", [name]);
    facts[name] = rows[0]?.value ?? "";
  }
  return facts;
}

/** Runs statements without a time-out. */
export async function runLong(postgres: BenchPostgres, ...statements: readonly string[]): Promise<void> {
  const client = await postgres.handle.pool.connect();
  try {
    await client.query("set statement_timeout = 0");
    for (const statement of statements) await client.query(statement);
    await client.query("reset statement_timeout");
  } finally {
    client.release();
  }
}
