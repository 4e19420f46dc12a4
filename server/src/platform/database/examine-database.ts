import { globSync } from "node:fs";
import pg from "pg";
import { refuseUnfitDatabase, sessionUrl, UnfitDatabaseError } from "./database-session.ts";
import { MIGRATION_FILES, MIGRATIONS } from "./migrate.ts";

const ANSWER_LIMIT_MS = 4_000;

export interface DatabaseState {
  /** The number of the newest applied migration; 0 for an empty database. */
  readonly applied: number;
  /** The number of this version's newest migration. */
  readonly newest: number;
  /** How far this machine's clock is ahead of the database's. */
  readonly clockSkewMs: number;
  /** Why the service would refuse to start on it; null if it would not. */
  readonly unfit: string | null;
  /** Whether commits wait for the disk; without, a crash loses money that was booked. */
  readonly losesCommits: boolean;
  /** After how many milliseconds the database ends our transactions; null if never. Versions before 17 have no such setting. */
  readonly transactionTimeoutMs: number | null;
  /** Indexes whose order may be wrong, because the operating system sorts text differently since they were built. */
  readonly staleIndexes: readonly string[];
  /** The recorded and the present version of the database's own collation, if they differ. */
  readonly collation: { readonly recorded: string; readonly actual: string } | null;
  /** Indexes whose building failed: they cost writes and answer nothing. */
  readonly invalidIndexes: readonly string[];
}

/** Enough to see what to do; the advice concerns all of them. */
const MAX_INDEXES = 20;

/** Reads a database's migration state and clock. Read-only. @throws Error from the database or the network */
export async function examineDatabase(databaseUrl: string): Promise<DatabaseState> {
  const client = new pg.Client({
    connectionString: sessionUrl(databaseUrl),
    application_name: "farline-doctor",
    connectionTimeoutMillis: ANSWER_LIMIT_MS,
    query_timeout: ANSWER_LIMIT_MS,
  });
  await client.connect();
  try {
    return {
      applied: await newestApplied(client),
      newest: Math.max(0, ...globSync(MIGRATION_FILES, { cwd: MIGRATIONS }).map((file) => Number.parseInt(file, 10))),
      clockSkewMs: await clockSkew(client),
      unfit: await unfitness(client),
      losesCommits: (await valuesOf(client, "select current_setting('synchronous_commit')"))[0] === "off",
      transactionTimeoutMs: Number((await valuesOf(client, TRANSACTION_TIMEOUT))[0] ?? 0) || null,
      collation: await changedCollation(client),
      staleIndexes: await valuesOf(client, STALE_INDEXES),
      invalidIndexes: await valuesOf(client, INVALID_INDEXES),
    };
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

/** Compares with the middle of the query, when the database read its clock. */
async function clockSkew(client: pg.Client): Promise<number> {
  const askedAt = Date.now();
  const { rows } = await client.query<{ at: number }>("select extract(epoch from clock_timestamp())::float8 * 1000 as at");
  return (askedAt + Date.now()) / 2 - (rows[0]?.at ?? 0);
}

async function unfitness(client: pg.Client): Promise<string | null> {
  try {
    await refuseUnfitDatabase(client);
    return null;
  } catch (error) {
    if (error instanceof UnfitDatabaseError) return error.message;
    throw error;
  }
}

async function changedCollation(client: pg.Client): Promise<DatabaseState["collation"]> {
  const { rows } = await client.query<{ recorded: string; actual: string }>(`
    select datcollversion as recorded, pg_database_collation_actual_version(oid) as actual from pg_database
    where datname = current_database() and datcollversion <> pg_database_collation_actual_version(oid)`);
  return rows[0] ?? null;
}

/** Only indexes on text depend on the order; those in the C order never change. `default` is the database's own collation. */
const STALE_INDEXES = `
  select distinct i.indexrelid::regclass::text as value
  from pg_index i
  join lateral unnest(i.indcollation::oid[]) as used (id) on used.id <> 0
  join pg_collation c on c.oid = used.id
  join pg_database d on d.datname = current_database()
  join pg_class r on r.oid = i.indexrelid and r.relnamespace::regnamespace::text not in ('pg_catalog', 'pg_toast', 'information_schema')
  where case when c.collname = 'default' then d.datcollversion <> pg_database_collation_actual_version(d.oid)
    else c.collversion <> pg_collation_actual_version(c.oid) end
  order by 1 limit ${MAX_INDEXES}`;

const TRANSACTION_TIMEOUT = "select setting from pg_settings where name = 'transaction_timeout'";

const INVALID_INDEXES = `
  select i.indexrelid::regclass::text as value from pg_index i where not i.indisvalid order by 1 limit ${MAX_INDEXES}`;

async function valuesOf(client: pg.Client, query: string): Promise<string[]> {
  const { rows } = await client.query<Record<string, string>>(query);
  return rows.map((row) => Object.values(row)[0] ?? "");
}
