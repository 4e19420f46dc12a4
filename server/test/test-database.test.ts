import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "./test-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test("a test file gets its own migrated database", async () => {
  const other = await testDatabase();
  try {
    await database.handle.pool.query("create table only_here (id int)");
    const { rows } = await other.handle.pool.query(
      "select to_regclass('only_here') as here, to_regclass('schema_version') as migrated",
    );
    expect(rows).toEqual([{ here: null, migrated: "schema_version" }]);
  } finally {
    await other.close();
  }
});

test("int8 arrives as bigint", async () => {
  const { rows } = await database.handle.pool.query("select 9223372036854775807::int8 as largest");
  expect(rows[0].largest).toBe(9223372036854775807n);
});
