import { fileURLToPath } from "node:url";
import pg from "pg";
import Postgrator from "postgrator";
import type { Logger } from "pino";
import { applyFunctions, readFunctionFiles } from "./apply-functions.ts";
import { RELEASE } from "./release.ts";

/** The migrations' files. */
export const MIGRATIONS = fileURLToPath(new URL("../../../migrations/*.do.*.sql", import.meta.url));
/** Arbitrary advisory lock id. Serialises services that start at the same time. */
const LOCK = 8_315_200_411;

/**
 * Updates the database in one transaction, under a lock: first applies new migrations in number order (forward only), then
 * changed functions.
 */
export async function migrate(databaseUrl: string, log: Logger): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "farline-migrate" });
  await client.connect();
  try {
    await client.query("begin");
    await client.query("select pg_advisory_xact_lock($1)", [LOCK]);
    const postgrator = new Postgrator({
      driver: "pg",
      database: client.database ?? "postgres",
      schemaTable: "schema_version",
      migrationPattern: MIGRATIONS,
      execQuery: (query) => client.query(query),
    });
    const migrations = await postgrator.migrate();
    const functions = await applyFunctions(client, readFunctionFiles(), RELEASE);
    await client.query("commit");
    if (migrations.length > 0 || functions.length > 0)
      log.info({ migrations: migrations.map((one) => one.filename), functions }, "database migrated");
  } finally {
    await client.end();
  }
}
