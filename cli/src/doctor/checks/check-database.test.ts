import { testDatabase, type TestDatabase } from "@farline/server/test/test-database.ts";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { checkDatabase } from "./check-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
afterEach(() => vi.useRealTimers());

test("a migrated database with a synchronised clock is ok", async () => {
  expect(await checkDatabase(database.url)).toMatchObject([{ level: "ok" }, { level: "ok" }]);
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

test("missing migrations are a fault, those of a newer release a warning", async () => {
  const { pool } = database.handle;
  await pool.query("insert into schema_version (version, name, md5, run_at) values (9999, 'next', '', now())");
  expect((await checkDatabase(database.url))[0]).toMatchObject({
    level: "warning",
    text: expect.stringContaining("migration 9999"),
  });
  await pool.query("delete from schema_version where version > 3");
  expect((await checkDatabase(database.url))[0]).toMatchObject({
    level: "fault",
    text: expect.stringContaining("has migration 3,"),
  });
  await pool.query("drop table schema_version");
  expect((await checkDatabase(database.url))[0]).toMatchObject({
    level: "fault",
    text: expect.stringContaining("has migration 0,"),
  });
});

test("a database that does not answer is a fault, reported without its password", async () => {
  expect(await checkDatabase("postgres://farline:secret@127.0.0.1:1/farline")).toEqual([
    { level: "fault", text: "The database does not answer: ECONNREFUSED." },
  ]);
});
