import type { Client } from "pg";
import pino from "pino";
import { ManualClock } from "../manual-clock.ts";
import { openDatabase } from "../../src/platform/database/database.ts";
import { createRates } from "../../src/rates/rates.ts";
import { RATES_TEMPLATE, TEMPLATE } from "../postgres.ts";
import { testContext } from "../test-context.ts";
import { createDatabase, onServer, testDatabase, urlOf, type TestDatabase } from "../test-database.ts";

const MADE_BY_ONE = "select pg_advisory_lock(1)";

/** A test database that has the sample deck. Loading it takes longer than most tests, so one file of the run does it for all. */
export async function databaseWithRates(): Promise<TestDatabase> {
  await onServer(async (admin) => {
    await admin.query(MADE_BY_ONE);
    const { rowCount } = await admin.query("select from pg_database where datname = $1", [RATES_TEMPLATE]);
    if (rowCount === 0) await makeTemplate(admin);
  });
  return testDatabase({ template: RATES_TEMPLATE });
}

async function makeTemplate(admin: Client): Promise<void> {
  const unfinished = `${RATES_TEMPLATE}_unfinished`;
  await createDatabase(admin, unfinished, TEMPLATE);
  const handle = openDatabase(urlOf(unfinished), 1, pino({ level: "silent" }));
  (await createRates(testContext({ handle, clock: new ManualClock(new Date()) }))).close();
  await handle.close();
  await admin.query(`alter database ${unfinished} rename to ${RATES_TEMPLATE}`);
}
