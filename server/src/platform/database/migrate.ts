import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import Postgrator from "postgrator";
import type { Logger } from "pino";
import { applyFunctions, readFunctionFiles } from "./apply-functions.ts";
import { refuseUnfitDatabase, sessionUrl } from "./database-session.ts";

/** The migrations' folder, and its files. */
export const MIGRATIONS = fileURLToPath(new URL("../../../migrations", import.meta.url));
export const MIGRATION_FILES = "*.do.*.sql";

/** The pattern of a folder's migrations, also where the folder's own name looks like a pattern. */
export function migrationsIn(folder: string): string {
  return join(folder.replace(/[\\[\]{}()*?!+@]/g, "\\$&"), MIGRATION_FILES);
}

/** Arbitrary advisory lock id. Serialises services that start at the same time. */
const LOCK = 8_315_200_411;

/** Everybody who wants to read a table waits behind a migration that waits for its lock, so it never waits long. */
const LOCK_TIMEOUT_MS = 2_000;

/** A lock was not available in time, or PostgreSQL ended a deadlock with a busy service. */
const GIVES_WAY: ReadonlySet<unknown> = new Set(["55P03", "40P01"]);

/** A dump or a long report ends within this time, or somebody has to end it. */
const TRIES = 100;

const PAUSE_MS = 3_000;

/** The release under development: raised after each release (see CONTRIBUTING.md). */
export const RELEASE = 2;

/**
 * Updates the database: first applies new migrations in number order (forward only), then changed functions. Where a long reader holds
 * a table, or a deadlock with the running service is ended, it gives way and tries again. A version that is older than the latest migration changes nothing.
 * @throws UnfitDatabaseError before it changes anything
 */
export async function migrate(
  databaseUrl: string,
  log: Logger,
  { lockTimeoutMs = LOCK_TIMEOUT_MS, pauseMs = PAUSE_MS } = {},
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await migrateOnce(databaseUrl, log, lockTimeoutMs);
    } catch (error) {
      if (!GIVES_WAY.has((error as { code?: unknown }).code) || attempt === TRIES) throw error;
      log.warn({ err: error, attempt }, "a migration gave way to others and tries again");
      await pause(pauseMs);
    }
  }
}

/** One transaction, under a lock. */
async function migrateOnce(databaseUrl: string, log: Logger, lockTimeoutMs: number): Promise<void> {
  const client = new pg.Client({ connectionString: sessionUrl(databaseUrl), application_name: "farline-migrate" });
  await client.connect();
  try {
    await refuseUnfitDatabase(client);
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1)", [LOCK]);
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
    const postgrator = new Postgrator({
      driver: "pg",
      database: client.database ?? "postgres",
      schemaTable: "schema_version",
      migrationPattern: migrationsIn(MIGRATIONS),
      execQuery: (query) => client.query(query),
    });
    const migrations = await postgrator.migrate();
    // An older version that restarts during an upgrade must not put its functions back.
    const isOlder = (await postgrator.getDatabaseVersion()) > (await postgrator.getMaxVersion());
    const functions = isOlder ? [] : await applyFunctions(client, readFunctionFiles(), RELEASE);
    await client.query("commit");
    if (migrations.length > 0 || functions.length > 0)
      log.info({ migrations: migrations.map((one) => one.filename), functions }, "database migrated");
  } finally {
    await client.end();
  }
}
