import { testDatabase, type TestDatabase } from "@farline/server/test/test-database.ts";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { checkDatabase } from "../diagnose.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
afterEach(() => vi.useRealTimers());

test("a migrated database with a synchronised clock is ok", async () => {
  // The tests' server does not wait for its disk, to be quick.
  expect(await checkDatabase(database.url)).toMatchObject([
    { level: "ok" },
    { level: "ok" },
    { level: "fault", text: expect.stringContaining("synchronous_commit is off") },
  ]);
});

test("a limit for whole transactions is named, because long ones would never finish", async () => {
  const url = new URL(database.url);
  url.searchParams.set("options", "-c transaction_timeout=30s");
  const limit = { level: "warning", text: expect.stringMatching(/^transaction_timeout ends .* after 30 seconds/) };
  expect(await checkDatabase(url.href)).toContainEqual(limit);
  expect(await checkDatabase(database.url)).not.toContainEqual(limit);
});

test("a clock that is minutes ahead or behind is a fault", async () => {
  for (const [minutes, word] of [
    [3, "ahead of"],
    [-3, "behind"],
  ] as const) {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + minutes * 60_000 });
    const [, clock] = await checkDatabase(database.url);
    vi.useRealTimers();
    expect(clock).toMatchObject({
      level: "fault",
      text: expect.stringMatching(new RegExp(`^This machine's clock is 1(79|80|81) seconds ${word}`)),
    });
  }
});

test("a collation that changed under an index is a fault that names the index and what to do", async () => {
  const { pool } = database.handle;
  await pool.query("create collation of_old (provider = icu, locale = 'de')");
  await pool.query("create table named (name text collate of_old)");
  await pool.query("create index named_name on named (name)");
  const changed = async () => (await checkDatabase(database.url)).filter(({ text }) => text.includes("order of text"));
  expect(await changed()).toEqual([]);
  await pool.query("update pg_collation set collversion = '1.0' where collname = 'of_old'");
  expect(await changed()).toEqual([
    { level: "fault", text: expect.stringMatching(/named_name\. Run REINDEX .* REFRESH VERSION/) },
  ]);
  await pool.query("drop table named; drop collation of_old");
  await pool.query("update pg_database set datcollversion = '1.0' where datname = current_database()");
  const own = await changed();
  const [{ actual } = { actual: null }] = (
    await pool.query(
      "select pg_database_collation_actual_version(oid) as actual from pg_database where datname = current_database()",
    )
  ).rows;
  // In the C order nothing changes.
  expect(own).toHaveLength(actual === null ? 0 : 1);
});

test("an index whose building failed is a fault", async () => {
  const { pool } = database.handle;
  await pool.query("create table doubled (n int); insert into doubled values (1), (1)");
  await expect(pool.query("create unique index concurrently doubled_once on doubled (n)")).rejects.toThrow(/doubled_once/);
  expect(await checkDatabase(database.url)).toContainEqual({
    level: "fault",
    text: expect.stringContaining("failed: doubled_once."),
  });
});

test("missing migrations are a fault, those of a newer release a warning", async () => {
  const { pool } = database.handle;
  await pool.query("insert into schema_version (version, name, md5, run_at) values (9999, 'next', '', now())");
  expect((await checkDatabase(database.url))[0]).toMatchObject({
    level: "warning",
    text: expect.stringContaining("migration 9999"),
  });
  await pool.query("delete from schema_version where version > 0");
  expect((await checkDatabase(database.url))[0]).toMatchObject({
    level: "fault",
    text: expect.stringContaining("has migration 0,"),
  });
  await pool.query("drop table schema_version");
  expect((await checkDatabase(database.url))[0]).toMatchObject({
    level: "fault",
    text: expect.stringContaining("has migration 0,"),
  });
});

test("what the service would refuse at its start is a fault", async () => {
  const { pool } = database.handle;
  await pool.query(`alter database ${new URL(database.url).pathname.slice(1)} set default_transaction_read_only = on`);
  expect(await checkDatabase(database.url)).toContainEqual({
    level: "fault",
    text: expect.stringMatching(/The service refuses .*transaction_read_only = "on"/),
  });
});

test("a database that does not answer is a fault, reported without its password", async () => {
  expect(await checkDatabase("postgres://farline:secret@127.0.0.1:1/farline")).toEqual([
    { level: "fault", text: "The database does not answer: ECONNREFUSED." },
  ]);
});
