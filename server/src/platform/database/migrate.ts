import { fileURLToPath } from "node:url";
import pg from "pg";
import Postgrator from "postgrator";
import type { Logger } from "pino";

const MIGRATIONS = fileURLToPath(new URL("../../../migrations/*.do.*.sql", import.meta.url));
/** Any fixed number of our own: two services that start at once take turns. */
const LOCK = 8_315_200_411;

/** Brings the schema up to date: plain SQL files, forward only, in the order of their numbers, under an advisory lock. */
export async function migrate(databaseUrl: string, log: Logger): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "farline-migrate" });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [LOCK]);
    const postgrator = new Postgrator({
      driver: "pg",
      database: client.database ?? "postgres",
      schemaTable: "schema_version",
      migrationPattern: MIGRATIONS,
      execQuery: (query) => client.query(query),
    });
    const applied = await postgrator.migrate();
    if (applied.length > 0) log.info({ migrations: applied.map((one) => one.filename) }, "database migrated");
  } finally {
    await client.end();
  }
}
