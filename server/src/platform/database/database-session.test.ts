import pg from "pg";
import pino from "pino";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { refuseUnfitDatabase, sessionUrl, UnfitDatabaseError } from "./database-session.ts";
import { openDatabase } from "./database.ts";
import { migrate } from "./migrate.ts";

let database: TestDatabase;
let name: string;
let role: string;
beforeAll(async () => {
  database = await testDatabase({ poolSize: 2 });
  name = new URL(database.url).pathname.slice(1);
  role = `role_of_${name}`;
  await onServer(`create role ${role} superuser login password 'found'`);
});
afterAll(async () => {
  await database.close();
  await onServer(`drop role ${role}`);
});

async function onServer(statement: string): Promise<void> {
  const admin = new pg.Client({ connectionString: inject("postgresUrl") });
  await admin.connect();
  await admin.query(statement).finally(() => admin.end());
}

function asRole(): string {
  const url = new URL(database.url);
  Object.assign(url, { username: role, password: "found" });
  return url.href;
}

async function inSession<Result>(url: string, run: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return run(client).finally(() => client.end());
}

const DEFAULTS = [
  ["DateStyle", "SQL, DMY"],
  ["DateStyle", "German"],
  ["IntervalStyle", "iso_8601"],
  ["TimeZone", "America/New_York"],
  ["search_path", "pg_catalog"],
  ["default_transaction_isolation", "serializable"],
  ["default_transaction_deferrable", "on"],
  ["standard_conforming_strings", "off"],
  ["bytea_output", "escape"],
  ["extra_float_digits", "-15"],
  ["transform_null_equals", "on"],
  ["lc_numeric", "C.UTF-8"],
  ["statement_timeout", "1"],
  ["lock_timeout", "1"],
  ["idle_session_timeout", "1min"],
  ["idle_in_transaction_session_timeout", "1"],
] as const;

test.each(DEFAULTS)("a session has what it needs, although the role's default for %s is %s", async (setting, value) => {
  await onServer(`alter role ${role} in database ${name} set ${setting} = '${value}'`);
  try {
    await inSession(sessionUrl(asRole()), refuseUnfitDatabase);
    const handle = openDatabase(asRole(), 1, pino({ level: "silent" }));
    const { rows } = await handle.pool
      .query(
        "select '2026-03-04T05:06:07Z'::timestamptz as at, '\\x00ff'::bytea as bytes, count(*)::int as n from schema_version",
      )
      .finally(() => handle.close());
    expect(rows[0]).toMatchObject({ at: new Date("2026-03-04T05:06:07Z"), bytes: Buffer.from([0, 255]) });
    await migrate(asRole(), pino({ level: "silent" }));
  } finally {
    await onServer(`alter role ${role} in database ${name} reset all`);
  }
});

test.each(DEFAULTS)(
  "a session whose options were dropped on the way is refused by the name of %s (%s)",
  async (setting, value) => {
    const lost = inSession(sessionUrl(asRole()), async (client) => {
      await client.query(`set ${setting} = '${value}'`);
      if (setting === "statement_timeout") await client.query("set statement_timeout = '1min'");
      await refuseUnfitDatabase(client);
    });
    await expect(lost).rejects.toThrow(new RegExp(`^The database has ${setting} = .* must be `));
  },
);

test.each([
  ["default_transaction_read_only = on", "transaction_read_only"],
  ["session_replication_role = replica", "session_replication_role"],
])("a start is refused while the database has %s, and nothing is changed", async (setting, named) => {
  await onServer(`alter database ${name} set ${setting}`);
  try {
    const start = migrate(asRole(), pino({ level: "silent" }));
    await expect(start).rejects.toThrow(UnfitDatabaseError);
    await expect(start).rejects.toThrow(named);
  } finally {
    await onServer(`alter database ${name} reset all`);
  }
});

test("a database in another encoding, or with its tables in another schema, is refused", async () => {
  await onServer(`create database latin_${name} encoding 'LATIN1' locale 'C' template template0`);
  const url = new URL(database.url);
  url.pathname = `/latin_${name}`;
  await expect(migrate(url.href, pino({ level: "silent" }))).rejects.toThrow(/server_encoding = "LATIN1"/);
  await onServer(`drop database latin_${name}`);

  await onServer(`create database moved_${name}`);
  url.pathname = `/moved_${name}`;
  await inSession(url.href, (client) => client.query("create schema own; create table own.schema_version (version int)"));
  await expect(migrate(url.href, pino({ level: "silent" }))).rejects.toThrow(/search_path = "own"/);
  await onServer(`drop database moved_${name}`);
});

test("options in the address stay, but not against ours", async () => {
  const url = new URL(database.url);
  url.searchParams.set("options", "-c work_mem=7MB -c TimeZone=Asia/Tokyo");
  const found = await inSession(sessionUrl(url.href), (client) =>
    client.query("select current_setting('work_mem') as memory, current_setting('TimeZone') as zone"),
  );
  expect(found.rows).toEqual([{ memory: "7MB", zone: "UTC" }]);
});
