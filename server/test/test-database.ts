import { randomUUID } from "node:crypto";
import { PATIENCE_MS } from "@farline/domain/test/patience.ts";
import { Client } from "pg";
import pino from "pino";
import { inject } from "vitest";
import { openDatabase, type DatabaseBounds, type DatabaseHandle } from "../src/platform/database/database.ts";
import { TEMPLATE } from "./postgres.ts";

const POOL_SIZE = 20;
/** No bound of the service fails a test on a slow machine. */
const PATIENT: DatabaseBounds = {
  connectMs: PATIENCE_MS,
  statementMs: PATIENCE_MS,
  lockMs: PATIENCE_MS,
  idleInTransactionMs: PATIENCE_MS,
};

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
 * @param options.template the database that is copied
 * @param options.bounds for tests of the service's own
 */
export async function testDatabase({ poolSize = POOL_SIZE, template = TEMPLATE, bounds = PATIENT } = {}): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await onServer((admin) => createDatabase(admin, name, template));
  const handle = openDatabase(urlOf(name), poolSize, pino({ level: "silent" }), bounds);
  return {
    handle,
    url: urlOf(name),
    async warmUp() {
      const clients = await Promise.all(Array.from({ length: poolSize }, () => handle.pool.connect()));
      for (const client of clients) client.release();
    },
    async close() {
      await handle.close();
      await onServer((admin) => admin.query(`drop database ${name} with (force)`));
    },
  };
}

export async function createDatabase(admin: Client, name: string, template: string): Promise<void> {
  await admin.query(`create database ${name} template ${template} strategy file_copy`);
}

/** The URL of a database of this run's server. */
export function urlOf(database: string): string {
  return new URL(`/${database}`, inject("postgresUrl")).href;
}

/** Runs work on the maintenance database of this run's server. */
export async function onServer<Result>(work: (admin: Client) => Promise<Result>): Promise<Result> {
  const admin = new Client({ connectionString: inject("postgresUrl") });
  await admin.connect();
  try {
    return await work(admin);
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
