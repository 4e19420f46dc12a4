import { globSync } from "node:fs";
import { basename } from "node:path";
import pg from "pg";
import { MIGRATIONS } from "./migrate.ts";

const ANSWER_LIMIT_MS = 4_000;

export interface DatabaseState {
  /** The number of the newest applied migration; 0 for an empty database. */
  readonly applied: number;
  /** The number of this version's newest migration. */
  readonly newest: number;
  /** How far this machine's clock is ahead of the database's. */
  readonly clockSkewMs: number;
}

/** Reads a database's migration state and clock. Read-only. @throws Error from the database or the network */
export async function examineDatabase(databaseUrl: string): Promise<DatabaseState> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    application_name: "farline-doctor",
    connectionTimeoutMillis: ANSWER_LIMIT_MS,
    query_timeout: ANSWER_LIMIT_MS,
  });
  await client.connect();
  try {
    return { applied: await newestApplied(client), newest: newestFile(), clockSkewMs: await clockSkew(client) };
  } finally {
    await client.end();
  }
}

async function newestApplied(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ known: boolean }>("select to_regclass('schema_version') is not null as known");
  if (rows[0]?.known !== true) return 0;
  const newest = await client.query<{ version: string | null }>("select max(version)::text as version from schema_version");
  return Number(newest.rows[0]?.version ?? 0);
}

function newestFile(): number {
  return Math.max(0, ...globSync(MIGRATIONS).map((file) => Number.parseInt(basename(file), 10)));
}

/** Compares with the middle of the query, when the database read its clock. */
async function clockSkew(client: pg.Client): Promise<number> {
  const askedAt = Date.now();
  const { rows } = await client.query<{ at: number }>("select extract(epoch from clock_timestamp())::float8 * 1000 as at");
  return (askedAt + Date.now()) / 2 - (rows[0]?.at ?? 0);
}
