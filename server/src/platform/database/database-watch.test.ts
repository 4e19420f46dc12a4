import pg from "pg";
import pino from "pino";
import { expect, inject, test } from "vitest";
import { testDatabase } from "../../../test/test-database.ts";
import { DatabaseWatch } from "./database-watch.ts";

test("a database whose commits hang does not answer, though it reads; and no hung commits pile up", async () => {
  const database = await testDatabase();
  const admin = new pg.Client({ connectionString: inject("postgresUrl") });
  await admin.connect();
  const name = new URL(database.url).pathname.slice(1);
  // Other databases of the test server do not wait for commits.
  await admin.query(`alter database ${name} set synchronous_commit = on`);
  const watch = new DatabaseWatch(database.url, database.handle.pool, pino({ level: "silent" }));
  watch.start();
  const waiting = async () =>
    (await admin.query("select from pg_stat_activity where datname = $1 and wait_event = 'SyncRep'", [name])).rowCount;
  try {
    await admin.query("alter system set synchronous_standby_names = 'nobody'");
    await admin.query("select pg_reload_conf()");
    await expect.poll(() => watch.answering).toBe(false);
    await expect.poll(waiting).toBe(1);
    await admin.query("alter system reset synchronous_standby_names");
    await admin.query("select pg_reload_conf()");
    await expect.poll(() => watch.answering).toBe(true);
    expect(await waiting()).toBe(0);
  } finally {
    await admin.query("alter system reset synchronous_standby_names");
    await admin.query("select pg_reload_conf()");
    await watch.close();
    await admin.end();
    await database.close();
  }
});

test.each([
  ["has no room for a megabyte", "temp_file_limit = '100kB'"],
  ["takes no writes", "default_transaction_read_only = on"],
])("a database that %s does not answer, though it commits", async (_, setting) => {
  const database = await testDatabase();
  const admin = new pg.Client({ connectionString: inject("postgresUrl") });
  await admin.connect();
  const name = new URL(database.url).pathname.slice(1);
  await admin.query(`alter database ${name} set ${setting}`);
  const watch = new DatabaseWatch(database.url, database.handle.pool, pino({ level: "silent" }));
  watch.start();
  try {
    await expect.poll(() => watch.answering).toBe(false);
    await admin.query(`alter database ${name} reset all`);
    await expect.poll(() => watch.answering).toBe(true);
  } finally {
    await watch.close();
    await admin.end();
    await database.close();
  }
});

test("no connection can be had while the pool's are all taken, or the server has none left; and again when there is one", async () => {
  const database = await testDatabase({ poolSize: 2 });
  const admin = new pg.Client({ connectionString: inject("postgresUrl") });
  await admin.connect();
  const name = new URL(database.url).pathname.slice(1);
  const watch = new DatabaseWatch(database.url, database.handle.pool, pino({ level: "silent" }));
  watch.start();
  const patience = { timeout: 10_000 };
  try {
    await expect.poll(() => watch.hasConnection).toBe(true);
    const taken = await Promise.all([database.handle.pool.connect(), database.handle.pool.connect()]);
    await expect.poll(() => watch.hasConnection, patience).toBe(false);
    expect(watch.answering).toBe(true);
    for (const client of taken) client.release(true);
    await expect.poll(() => watch.hasConnection, patience).toBe(true);

    // As when max_connections is reached: running sessions go on, and nobody gets another.
    await admin.query(`alter database ${name} allow_connections = false`);
    await expect.poll(() => watch.hasConnection, patience).toBe(false);
    expect(watch.answering).toBe(true);
    await admin.query(`alter database ${name} allow_connections = true`);
    await expect.poll(() => watch.hasConnection, patience).toBe(true);
  } finally {
    await watch.close();
    await admin.end();
    await database.close();
  }
}, 40_000);
