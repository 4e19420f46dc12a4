import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import type { Tx } from "./database.ts";
import { callFunction, executePrepared, readFunction } from "./prepared.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase({ poolSize: 1 });
  await sql`create function span_of(p_first_day date, p_days integer) returns text language sql
    as $$ select p_first_day || ' + ' || p_days $$`.execute(database.handle.db);
  await sql`create function days_of(p_days integer) returns table (day integer, is_last boolean) language sql
    as $$ select n, n = p_days from generate_series(1, p_days) n $$`.execute(database.handle.db);
});
afterAll(() => database.close());

async function preparedNames(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from pg_prepared_statements order by name`.execute(tx);
  return rows.map(({ name }) => name);
}

test("values are passed to the function's parameters by name, in any order", async () => {
  expect(await callFunction(database.handle.db, "span_of", { days: 2, firstDay: "2026-11-25" })).toBe("2026-11-25 + 2");
});

test("a function's rows are returned with their column names", async () => {
  expect(await readFunction(database.handle.db, "days_of", { days: 2 })).toEqual([
    { day: 1, is_last: false },
    { day: 2, is_last: true },
  ]);
});

test("named statements are prepared once per connection, inside and outside a transaction, and no others", async () => {
  const { db } = database.handle;
  const both = (tx: Tx) =>
    Promise.all([readFunction(tx, "days_of", { days: 1 }), executePrepared(tx, "two", sql`select ${2}::int`)]);
  await both(db);
  await db.transaction().execute(async (tx) => {
    await both(tx);
    await sql`select 3`.execute(tx);
  });
  expect(await preparedNames(db)).toEqual(expect.arrayContaining(["days_of", "two"]));
  expect((await preparedNames(db)).every((name) => ["days_of", "span_of", "two"].includes(name))).toBe(true);
});

test("a statement name cannot be reused for another statement", async () => {
  const { db } = database.handle;
  await executePrepared(db, "three", sql`select 3`);
  await expect(executePrepared(db, "three", sql`select 4`)).rejects.toThrow(/must be unique/);
});

test("a statement whose result a migration has changed fails once, and is prepared again", async () => {
  const { db } = database.handle;
  await sql`create table growing (one integer)`.execute(db);
  const read = () => executePrepared(db, "read_growing", sql`select * from growing`);
  await read();
  await sql`alter table growing add column two integer`.execute(db);
  await expect(read()).rejects.toMatchObject({ code: "0A000" });
  expect(await read()).toEqual([]);
});
