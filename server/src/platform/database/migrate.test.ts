import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import pino from "pino";
import Postgrator from "postgrator";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { dumpSchema } from "../../../test/schema/dump-schema.ts";
import { applyFunctions, readFunctionFiles } from "./apply-functions.ts";
import { migrate, migrationsIn, RELEASE } from "./migrate.ts";

const SERVER = fileURLToPath(new URL("../../../", import.meta.url));
const PREVIOUS_RELEASE = readFileSync(`${SERVER}test/schema/previous-release.sql`, "utf8");
const CUSTOMER = "0199aaaa-0000-7000-8000-000000000001";
const silent = pino({ level: "silent" });

let admin: pg.Client;
beforeAll(async () => {
  admin = new pg.Client({ connectionString: inject("postgresUrl") });
  await admin.connect();
});
afterAll(() => admin.end());

let databases = 0;

/** Runs a test on its own empty database. */
async function onEmptyDatabase(run: (url: string, client: pg.Client) => Promise<void>): Promise<void> {
  const url = new URL(inject("postgresUrl"));
  const name = `migrate_${process.pid}_${(databases += 1)}`;
  await admin.query(`create database ${name} template template0`);
  url.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    await run(url.href, client);
  } finally {
    await client.end();
    await admin.query(`drop database ${name} with (force)`);
  }
}

/** The schema after the next release drops functions kept for the previous one. */
async function schemaAfterNextRelease(client: pg.Client): Promise<string> {
  await client.query("begin");
  await applyFunctions(client, readFunctionFiles(), RELEASE + 1);
  await client.query("commit");
  return dumpSchema(client, "bodies");
}

/** Changes whenever a function is created or replaced. */
async function functionVersions(client: pg.Client): Promise<unknown[]> {
  const { rows } = await client.query(
    "select oid, xmin from pg_proc where pronamespace = 'public'::regnamespace union all select oid, xmin from pg_constraint order by 1",
  );
  return rows;
}

test("migrations are found in a folder whose name looks like a pattern", async () => {
  const folder = mkdtempSync(join(tmpdir(), "farline [2] {a,b} (c) !d+@ "));
  try {
    writeFileSync(join(folder, "001.do.first.sql"), "select 1");
    const postgrator = new Postgrator({ driver: "pg", migrationPattern: migrationsIn(folder) });
    expect(await postgrator.getMigrations()).toMatchObject([{ version: 1, name: "first" }]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("migrations have unique numbers and follow one naming scheme", () => {
  const files = readdirSync(`${SERVER}migrations`).filter((file) => file.endsWith(".sql"));
  for (const file of files) expect(file).toMatch(/^\d{3}\.do\.[a-z-]+\.sql$/);
  expect(new Set(files.map((file) => file.slice(0, 3))).size).toBe(files.length);
});

test("no function is defined in two files", () => {
  const names = readFunctionFiles().map((file) => file.name);
  expect(new Set(names).size).toBe(names.length);
});

test("an empty database gets the schema of server/schema.sql, and starting again changes nothing", () =>
  onEmptyDatabase(async (url, client) => {
    await migrate(url, silent);
    const schema = await dumpSchema(client, "signatures");
    const stored = readFileSync(`${SERVER}schema.sql`, "utf8");
    expect(stored.slice(stored.indexOf("\n\n") + 2)).toBe(schema);
    const versions = await functionVersions(client);
    await migrate(url, silent);
    expect(await dumpSchema(client, "signatures")).toBe(schema);
    expect(await functionVersions(client)).toEqual(versions);
  }));

test("what is kept of a release recreates its database", () =>
  onEmptyDatabase(async (url, client) => {
    await migrate(url, silent);
    const kept = await dumpSchema(client, "bodies");
    await onEmptyDatabase(async (_, empty) => {
      await empty.query(kept);
      expect(await dumpSchema(empty, "bodies")).toBe(kept);
    });
  }));

test("the previous release's database gets the same schema, and keeps its money", () =>
  onEmptyDatabase(async (url, client) => {
    await client.query(PREVIOUS_RELEASE);
    await client.query(
      "insert into customer (id, name, email, email_key, created_at) values ($1, 'Ada', 'ada@example.com', 'ada@example.com', now())",
      [CUSTOMER],
    );
    await client.query("select open_account($1)", [CUSTOMER]);
    await client.query("select post_credit(gen_random_uuid(), 'k', $1, 'top_up', 5000000, null, 'Top-up')", [CUSTOMER]);
    await migrate(url, silent);
    const { rows } = await client.query("select balance_micros, bonus_micros, entry_count from account where customer_id = $1", [
      CUSTOMER,
    ]);
    expect(rows).toEqual([{ balance_micros: "5000000", bonus_micros: "0", entry_count: "1" }]);
    const upgraded = await schemaAfterNextRelease(client);
    await onEmptyDatabase(async (emptyUrl, empty) => {
      await migrate(emptyUrl, silent);
      expect(upgraded).toBe(await schemaAfterNextRelease(empty));
    });
  }));

test("functions that the previous release calls still exist", () =>
  onEmptyDatabase(async (url, client) => {
    const signatures = async () => {
      const { rows } = await client.query<{ signature: string }>(
        "select oid::regprocedure::text as signature from pg_proc where pronamespace = 'public'::regnamespace",
      );
      return rows.map((row) => row.signature);
    };
    await client.query(PREVIOUS_RELEASE);
    const { rows } = await client.query("select max(release) as release from schema_function");
    expect(rows).toEqual([{ release: RELEASE - 1 }]);
    const before = await signatures();
    await migrate(url, silent);
    expect(await signatures()).toEqual(expect.arrayContaining(before));
  }));

test("a version that is older than the database's latest migration changes nothing", () =>
  onEmptyDatabase(async (url, client) => {
    await migrate(url, silent);
    await client.query("insert into schema_version (version, name) values (999, 'of a newer version')");
    await client.query("update schema_function set checksum = 'of a newer version'");
    const versions = await functionVersions(client);
    await migrate(url, silent);
    expect(await functionVersions(client)).toEqual(versions);
  }));

test("services that start at the same time migrate one after the other", () =>
  onEmptyDatabase(async (url, client) => {
    await Promise.all([migrate(url, silent), migrate(url, silent), migrate(url, silent)]);
    expect(readFileSync(`${SERVER}schema.sql`, "utf8")).toContain(await dumpSchema(client, "signatures"));
  }));

test("a migration gives way to a long lock, so that nobody waits behind it, and is applied when the lock is gone", () =>
  onEmptyDatabase(async (url, client) => {
    await migrate(url, silent);
    const lines: string[] = [];
    const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
    await client.query("begin");
    await client.query("lock table schema_version in access exclusive mode");
    const applied = migrate(url, log, { lockTimeoutMs: 10, pauseMs: 10 });
    await expect.poll(() => lines.length).toBeGreaterThan(1);
    await client.query("commit");
    await applied;
    expect(lines[0]).toContain("gave way");
  }));

test("a migration that PostgreSQL ended because of a deadlock is applied again", () =>
  onEmptyDatabase(async (url, client) => {
    // A sequence survives the rollback.
    await client.query(`create schema trap; create sequence trap.tries;
      create function trap.spring() returns event_trigger language plpgsql as $$
        begin if nextval('trap.tries') = 1 then raise exception 'deadlock detected' using errcode = '40P01'; end if; end $$;
      create event trigger trap on ddl_command_start when tag in ('CREATE TABLE') execute function trap.spring()`);
    await migrate(url, silent, { pauseMs: 1 });
    const { rows } = await client.query("select to_regclass('public.call') is not null as migrated");
    expect(rows).toEqual([{ migrated: true }]);
  }));
