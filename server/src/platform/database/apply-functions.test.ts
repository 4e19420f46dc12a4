import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { applyFunctions, type FunctionFile } from "./apply-functions.ts";

const NAME = `functions_${process.pid}`;
const price = (sql: string): FunctionFile => ({ name: "price", sql: `create or replace function price${sql}` });
const PER_MINUTE = price("(minutes int) returns int language sql as $$ select minutes * 2 $$");
const PER_MINUTE_AND_CALL = price("(minutes int, calls int) returns int language sql as $$ select minutes * 2 + calls $$");

let admin: pg.Client;
let client: pg.Client;
beforeAll(async () => {
  admin = new pg.Client({ connectionString: inject("postgresUrl") });
  await admin.connect();
});
beforeEach(async () => {
  await admin.query(`create database ${NAME} template template0`);
  client = await connect();
});
afterEach(async () => {
  await client.end();
  await admin.query(`drop database ${NAME} with (force)`);
});
afterAll(() => admin.end());

async function connect(): Promise<pg.Client> {
  const url = new URL(inject("postgresUrl"));
  url.pathname = `/${NAME}`;
  const connection = new pg.Client({ connectionString: url.href });
  await connection.connect();
  return connection;
}

/** Applies the functions as a starting process does. */
async function start(release: number, ...files: FunctionFile[]): Promise<string[]> {
  await client.query("begin");
  try {
    const changes = await applyFunctions(client, files, release);
    await client.query("commit");
    return changes;
  } catch (error) {
    await client.query("rollback");
    throw error;
  }
}

async function result(call: string): Promise<unknown> {
  const { rows } = await client.query(`select ${call} as result`);
  return rows[0].result;
}

test("applies a file once, and again when it changes", async () => {
  expect(await start(2, PER_MINUTE)).toEqual(["price"]);
  expect(await start(2, PER_MINUTE)).toEqual([]);
  expect(await start(2, price("(minutes int) returns int language sql as $$ select minutes * 3 $$"))).toEqual(["price"]);
  expect(await result("price(1)")).toBe(3);
});

test("applies functions that call one defined later", async () => {
  const caller = { name: "bill", sql: "create or replace function bill() returns int language sql as $$ select price(5) $$" };
  await start(2, caller, PER_MINUTE);
  expect(await result("bill()")).toBe(10);
});

test("drops a function that was never released as soon as its file is gone", async () => {
  await start(2, PER_MINUTE);
  expect(await start(2)).toEqual(["- price(integer)"]);
  await expect(result("price(1)")).rejects.toThrow("does not exist");
});

test("keeps a removed function for the previous release, and drops it in the next", async () => {
  await start(2, PER_MINUTE);
  expect(await start(3)).toEqual([]);
  expect(await result("price(1)")).toBe(2);
  expect(await start(4)).toEqual(["- price(integer)"]);
});

test("two releases that run at once each call their own signature", async () => {
  await start(2, PER_MINUTE);
  const oldProcess = await connect();
  const callOld = () => oldProcess.query({ name: "price", text: "select price($1) as result", values: [5] });
  try {
    expect((await callOld()).rows).toEqual([{ result: 10 }]);
    await start(3, PER_MINUTE_AND_CALL);
    expect((await callOld()).rows).toEqual([{ result: 10 }]);
    expect(await result("price(5, 1)")).toBe(11);
    // After a crash and restart, the old release must not undo the new one's functions.
    expect(await start(2, PER_MINUTE)).toEqual([]);
    expect(await result("price(5, 1)")).toBe(11);
    await start(4, PER_MINUTE_AND_CALL);
    await expect(callOld()).rejects.toThrow();
    expect(await result("price(5, 1)")).toBe(11);
  } finally {
    await oldProcess.end();
  }
});

test("refuses to change a signature's return type, because the old release still calls it", async () => {
  await start(2, PER_MINUTE);
  await expect(start(3, price("(minutes int) returns text language sql as $$ select 'x' $$"))).rejects.toThrow("return type");
  expect(await result("price(1)")).toBe(2);
});

test("applies all functions of a chapter, and drops the one that leaves it", async () => {
  const twice = {
    name: "prices",
    sql: `${PER_MINUTE.sql};\ncreate or replace function cost() returns int language sql as 'select 7'`,
  };
  expect(await start(2, twice)).toEqual(["prices"]);
  expect([await result("price(1)"), await result("cost()")]).toEqual([2, 7]);
  expect(await start(2, { ...PER_MINUTE, name: "prices" })).toEqual(["prices", "- cost()"]);
  await expect(result("cost()")).rejects.toThrow("does not exist");
});

test("refuses a file that defines no function", async () => {
  await expect(start(2, { name: "cost", sql: "select 1" })).rejects.toThrow("cost.sql defines no function");
});

test("checks the rows of a table again when the function of its check changes", async () => {
  await client.query("create table fare (price int); insert into fare values (5)");
  const sound = (min: number): FunctionFile => ({
    name: "fare_is_sound",
    sql: `create or replace function fare_is_sound(f fare) returns boolean language plpgsql immutable as $$ begin return f.price > ${min}; end $$;
      alter table fare drop constraint if exists fare_sound, add constraint fare_sound check (fare_is_sound(fare));`,
  });
  await start(2, sound(1));
  await expect(start(2, sound(5))).rejects.toThrow("fare_sound");
  await expect(client.query("insert into fare values (1)")).rejects.toThrow("fare_sound");
});
