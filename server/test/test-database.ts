import { randomUUID } from "node:crypto";
import { Client } from "pg";
import pino from "pino";
import { inject } from "vitest";
import { openDatabase, type DatabaseHandle } from "../src/platform/database/database.ts";

const POOL_SIZE = 20;

export interface TestDatabase {
  readonly handle: DatabaseHandle;
  /** For code that opens its own connections, for example a child process. */
  readonly url: string;
  /**
   * Opens all connections of the pool. Call it before concurrent work: while the pool is opening connections, work that should
   * race runs on the first one in sequence.
   */
  warmUp(): Promise<void>;
  /** Closes the pool and drops the database. */
  close(): Promise<void>;
}

/**
 * Creates a migrated database on the test run's own PostgreSQL (see server/test/postgres.ts). Call it once per test file in
 * `beforeAll`, and `close()` in `afterAll`.
 * @param options.poolSize connections of `handle.pool`; the server allows 300 in all.
 */
export async function testDatabase(options: { poolSize?: number } = {}): Promise<TestDatabase> {
  const adminUrl = inject("postgresUrl");
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await runOnServer(adminUrl, `create database ${name} template farline_template strategy file_copy`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const poolSize = options.poolSize ?? POOL_SIZE;
  const handle = openDatabase(url.href, poolSize, pino({ level: "silent" }));
  return {
    handle,
    url: url.href,
    async warmUp() {
      const clients = await Promise.all(Array.from({ length: poolSize }, () => handle.pool.connect()));
      for (const client of clients) client.release();
    },
    async close() {
      await handle.close();
      await runOnServer(adminUrl, `drop database ${name} with (force)`);
    },
  };
}

async function runOnServer(adminUrl: string, statement: string): Promise<void> {
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query(statement);
  } finally {
    await admin.end();
  }
}

/** Plants a fault in a database function. @throws Error if the function no longer has the right text */
export async function plantFault({ pool }: DatabaseHandle, name: string, right: string, wrong: string): Promise<void> {
  const { rows } = await pool.query<{ text: string }>("select pg_get_functiondef($1::regproc) as text", [name]);
  const text = rows[0]?.text ?? "";
  if (!text.includes(right)) throw new Error(`The function ${name} has no "${right}".`);
  await pool.query(text.replace(right, wrong));
}
