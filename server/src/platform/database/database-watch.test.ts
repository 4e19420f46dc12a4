import pg from "pg";
import pino from "pino";
import { expect, inject, test } from "vitest";
import { rmSync } from "node:fs";
import { testDatabase } from "../../../test/test-database.ts";
import { DatabaseWatch, watchMetrics, archiveMetrics } from "./database-watch.ts";
import { FaultProxy } from "../../../test/fakes/fault-proxy.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { DATABASE_BOUNDS, openDatabase, type DatabaseHandle } from "./database.ts";
import { startLocalPostgres } from "./local-postgres.ts";

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
  ["has no room for a megabyte", "temp_file_limit = '100kB'", "The database does not commit, or has no room."],
  ["takes no writes", "default_transaction_read_only = on", "The database takes no writes."],
])("a database that %s does not answer, though it commits", async (_, setting, said) => {
  const database = await testDatabase();
  const admin = new pg.Client({ connectionString: inject("postgresUrl") });
  await admin.connect();
  const name = new URL(database.url).pathname.slice(1);
  await admin.query(`alter database ${name} set ${setting}`);
  const watch = new DatabaseWatch(database.url, database.handle.pool, pino({ level: "silent" }));
  watch.start();
  try {
    await expect.poll(() => watch.answering).toBe(false);
    expect(watch.trouble()).toMatchObject({ text: said, since: expect.any(Date) as Date });
    await admin.query(`alter database ${name} reset all`);
    await expect.poll(() => watch.answering).toBe(true);
    expect(watch.trouble()).toBeNull();
  } finally {
    await watch.close();
    await admin.end();
    await database.close();
  }
});

test("a database that takes more than a second, as on a busy machine, still answers, and its pool is left alone", async () => {
  const database = await testDatabase();
  const proxy = await FaultProxy.start(database.url);
  const watch = new DatabaseWatch(proxy.through(database.url), database.handle.pool, pino({ level: "silent" }));
  const client = await database.handle.pool.connect();
  watch.start();
  try {
    const asked =
      "select from pg_stat_activity where datname = current_database() and application_name = 'farline-watch' and query <> ''";
    await expect.poll(async () => (await client.query(asked)).rowCount).toBeGreaterThanOrEqual(2);
    proxy.latencyMs = 1_200;
    // Connecting takes several answers, so it is too late before any question is.
    await expect.poll(() => watch.hasConnection).toBe(false);
    expect(watch.answering).toBe(true);
    expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  } finally {
    client.release(true);
    await watch.close();
    await proxy.close();
    await database.close();
  }
});

test("no connection can be had while the pool's are all taken, or the server has none left; and again when there is one", async () => {
  const database = await testDatabase({ poolSize: 2, bounds: DATABASE_BOUNDS });
  const admin = new pg.Client({ connectionString: inject("postgresUrl") });
  await admin.connect();
  const name = new URL(database.url).pathname.slice(1);
  const watch = new DatabaseWatch(database.url, database.handle.pool, pino({ level: "silent" }));
  watch.start();
  try {
    await expect.poll(() => watch.hasConnection).toBe(true);
    const taken = await Promise.all([database.handle.pool.connect(), database.handle.pool.connect()]);
    await expect.poll(() => watch.hasConnection).toBe(false);
    expect(watch.answering).toBe(true);
    expect(watch.trouble()).toMatchObject({ text: "The database gives the service no further connection." });
    for (const client of taken) client.release(true);
    await expect.poll(() => watch.hasConnection).toBe(true);

    // As when max_connections is reached: running sessions go on, and nobody gets another.
    await admin.query(`alter database ${name} allow_connections = false`);
    await expect.poll(() => watch.hasConnection).toBe(false);
    expect(watch.answering).toBe(true);
    await admin.query(`alter database ${name} allow_connections = true`);
    await expect.poll(() => watch.hasConnection).toBe(true);
  } finally {
    await watch.close();
    await admin.end();
    await database.close();
  }
});

test("a person's lock is named with the process to end, and requests that wait for it fail within seconds", async () => {
  const database = await testDatabase({ bounds: DATABASE_BOUNDS });
  const person = new pg.Client({ connectionString: database.url, application_name: "psql" });
  await person.connect();
  const watch = new DatabaseWatch(database.url, database.handle.pool, pino({ level: "silent" }));
  const [used, metric] = watchMetrics(watch);
  watch.start();
  const { rows } = await person.query<{ pid: number }>("select pg_backend_pid() as pid");
  const pid = rows[0]?.pid;
  try {
    await person.query("begin; lock table account");
    const waiting = database.handle.pool.query("select from account limit 1").catch((error: { code: string }) => error.code);
    await expect.poll(() => watch.lockHolder).toMatchObject({ pid, application: "psql", waiting: 1 });
    expect(metric?.warning?.((await metric.read()) as number)).toMatchObject({
      text: expect.stringMatching(/^1 of our transactions wait for a lock that "psql" of \w+ holds\.$/) as string,
      detail: `It is process ${pid}, idle in transaction. To end it: select pg_terminate_backend(${pid});`,
    });
    expect(await used?.read()).toBeGreaterThan(0);
    expect(used?.warning?.(89)).toBeNull();
    expect(used?.warning?.(97)).toMatchObject({ text: "97 % of the database's connections are in use." });
    expect(await waiting).toBe("55P03");
    await person.query("rollback");
    await expect.poll(() => watch.lockHolder).toBeNull();
    expect(watch.answering).toBe(true);
  } finally {
    await watch.close();
    await person.end();
    await database.close();
  }
});

const read = (handle: DatabaseHandle) => Promise.all(archiveMetrics({ handle }).map((metric) => metric.read()));

test("a database that archives nothing has no age of its archive, and no warning", async () => {
  const database = await testDatabase();
  try {
    expect(await read(database.handle)).toEqual([-1, -1]);
    const [age] = archiveMetrics(database);
    expect([age?.warning?.(-1), age?.warning?.(899)]).toEqual([null, null]);
    expect(age?.warning?.(900)).toBe("The database's log has not been archived for 15 minutes.");
  } finally {
    await database.close();
  }
});

test("a database whose archive fails counts the failures, and the age of the last archived segment", async () => {
  const directory = temporaryFolder("farline-archive-");
  const settings = ["archive_mode=on", "archive_command=test -e archive-works"];
  const server = await startLocalPostgres({ directory, settings });
  const handle = openDatabase(server.url, 2, pino({ level: "silent" }));
  try {
    await handle.pool.query("select pg_switch_wal() from (select pg_logical_emit_message(true, 'test', 'test')) as written");
    await expect.poll(async () => (await read(handle))[1]).toBeGreaterThan(0);
    const [age] = await read(handle);
    expect(age).toBeGreaterThanOrEqual(0);
    expect(age).toBeLessThan(60);
  } finally {
    await handle.close();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});
