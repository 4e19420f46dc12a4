import { sql } from "kysely";
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
    await sql`create table only_here (id int)`.execute(database.handle.db);
    const { rows } = await sql<any>`select to_regclass('only_here') as here, to_regclass('schema_version') as migrated`.execute(
      other.handle.db,
    );
    expect(rows).toEqual([{ here: null, migrated: "schema_version" }]);
  } finally {
    await other.close();
  }
});

test("int8 arrives as bigint", async () => {
  const { rows } = await sql<any>`select 9223372036854775807::int8 as largest`.execute(database.handle.db);
  expect(rows[0].largest).toBe(9223372036854775807n);
});
