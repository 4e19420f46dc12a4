import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import pg from "pg";
import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { testDatabase } from "../../../test/test-database.ts";
import { AppError } from "../app-error.ts";
import { type DatabaseHandle, openDatabase } from "./database.ts";
import { type LocalPostgres, startLocalPostgres } from "./local-postgres.ts";
import { ReadDatabase, readDatabaseMetrics, type Reader } from "./read-database.ts";

const log = pino({ level: "silent" });
const folder = temporaryFolder("farline-read-");
let primary: LocalPostgres;
let standby: LocalPostgres;
let handle: DatabaseHandle;
let admin: pg.Client;
let nowMs = 1_000_000;

/** A primary and a streaming standby of it, made from a copy of the stopped primary. */
beforeAll(async () => {
  const [first, second] = [join(folder, "primary"), join(folder, "standby")];
  const created = await startLocalPostgres({ directory: first });
  await created.stop();
  execFileSync("cp", ["--archive", first, second]);
  writeFileSync(join(second, "data", "standby.signal"), "");
  primary = await startLocalPostgres({ directory: first });
  standby = await startLocalPostgres({ directory: second, settings: [`primary_conninfo=${primary.url}`] });
  handle = openDatabase(primary.url, 4, log);
  admin = new pg.Client({ connectionString: standby.url });
  await admin.connect();
  await handle.pool.query("create table sample (value int)");
});
afterAll(async () => {
  await admin?.end().catch(() => undefined);
  await handle.close();
  await standby.stop();
  await primary.stop();
  rmSync(folder, { recursive: true, force: true });
});

const newReading = (url = standby.url) => new ReadDatabase(url, { primary: handle, poolSize: 2, log, nowMs: () => nowMs });
const count = async (db: Reader) =>
  Number((await sql<{ count: number }>`select count(*)::int as count from sample`.execute(db)).rows[0]?.count);
const isStandby = async (db: Reader) =>
  (await sql<{ yes: boolean }>`select pg_is_in_recovery() as yes`.execute(db)).rows[0]?.yes === true;
const replayed = async () => {
  const { rows } = await handle.pool.query<{ lsn: string }>("select pg_current_wal_lsn()::text as lsn");
  await expect
    .poll(async () => (await admin.query("select pg_last_wal_replay_lsn() >= $1::pg_lsn as yes", [rows[0]?.lsn])).rows)
    .toEqual([{ yes: true }]);
};
const warningOf = async (reading: ReadDatabase | null) => {
  const [metric] = readDatabaseMetrics(reading);
  return metric?.warning?.(Number(await metric.read())) ?? null;
};

test("the standby is read while it is at most five seconds behind, else the primary; a quiet primary does not make it old", async () => {
  const reading = newReading();
  try {
    expect(await reading.read(isStandby)).toBe(false);
    expect(await warningOf(reading)).toContain("does not answer");
    await replayed();
    await reading.measure();
    expect(await reading.read(isStandby)).toBe(true);
    expect([reading.lagSeconds, await warningOf(reading)]).toEqual([0, null]);

    nowMs += 60_000;
    await reading.measure();
    expect(reading.lagSeconds).toBe(0);

    await admin.query("select pg_wal_replay_pause()");
    await expect
      .poll(async () => (await admin.query("select pg_get_wal_replay_pause_state() as state")).rows)
      .toEqual([{ state: "paused" }]);
    await handle.pool.query("insert into sample values (1)");
    nowMs += 1_000;
    await reading.measure();
    expect(await reading.read(count)).toBe(0);
    nowMs += 5_000;
    await reading.measure();
    expect([reading.lagSeconds, await reading.read(count), await reading.read(isStandby)]).toEqual([6, 1, false]);
    expect(await warningOf(reading)).toBe(
      "The reading database is 6 seconds behind: lists and figures are read from the primary.",
    );

    await admin.query("select pg_wal_replay_resume()");
    await replayed();
    await reading.measure();
    expect([reading.lagSeconds, await reading.read(count), await reading.read(isStandby)]).toEqual([0, 1, true]);
  } finally {
    await reading.close();
  }
});

test("a query that loses the standby is repeated on the primary; a refused one and a writing one are not", async () => {
  const reading = newReading();
  try {
    await replayed();
    await reading.measure();
    let runs = 0;
    const refused = reading.read(async () => {
      runs += 1;
      throw new AppError("not_found", { reason: "call_unknown" });
    });
    await expect(refused).rejects.toThrow(AppError);
    const writing = reading.read(async (db) => {
      runs += 1;
      await sql`insert into sample values (2)`.execute(db);
    });
    await expect(writing).rejects.toThrow("read-only");
    expect(runs).toBe(2);
    // Last: a connection that is lost stays in the pool for a moment.
    runs = 0;
    const answer = await reading.read(async (db) => {
      runs += 1;
      if (runs === 1) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(db);
      return isStandby(db);
    });
    expect([runs, answer]).toEqual([2, false]);
  } finally {
    await reading.close();
  }
});

test("an address that leads to the primary, or to another database, is never read", async () => {
  const other = await testDatabase();
  try {
    for (const url of [primary.url, other.url]) {
      const reading = newReading(url);
      await expect(reading.measure()).rejects.toThrow("does not lead to a standby of DATABASE_URL");
      expect(await reading.read(isStandby)).toBe(false);
      await reading.close();
    }
  } finally {
    await other.close();
  }
  expect(await warningOf(null)).toBe(null);
});

test("a standby that is gone is noticed and found again by itself", async () => {
  nowMs = 0;
  const reading = new ReadDatabase(standby.url, { primary: handle, poolSize: 2, log });
  reading.start();
  try {
    await expect.poll(() => reading.read(isStandby)).toBe(true);
    await admin.end();
    await standby.stop();
    expect(await reading.read(isStandby)).toBe(false);
    await expect.poll(() => warningOf(reading)).toContain("does not answer");
  } finally {
    await reading.close();
  }
});
