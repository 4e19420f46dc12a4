import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newCustomer } from "../../test/new-customer.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { knownName, RENAMED_ZONES, renameZones, zoneOf } from "./time-zones.ts";

const FORMER = Object.keys(RENAMED_ZONES);
/** The zones of Debian 13 and Ubuntu 24.04, and those of a machine before 2022. */
const today = async (zone: string) => !FORMER.includes(zone);
const before2022 = async (zone: string) => zone !== "Europe/Kyiv";

describe("a time zone", () => {
  test.each([
    ["Asia/Calcutta", "Asia/Kolkata", "Asia/Kolkata"],
    ["Asia/Kolkata", "Asia/Kolkata", "Asia/Kolkata"],
    ["Europe/Kyiv", "Europe/Kyiv", "Europe/Kiev"],
    ["America/Buenos_Aires", "America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"],
    ["US/Eastern", "America/New_York", "America/New_York"],
    ["europe/berlin", "Europe/Berlin", "Europe/Berlin"],
    ["Mars/Olympus", null, null],
    ["+05:30", null, null],
  ])("%s has a name that a new and an old database know", async (name, newer, older) => {
    expect([await knownName(today, name), await knownName(before2022, name)]).toEqual([newer, older]);
  });

  test("is renamed wherever Node names it by its former name", () => {
    const canonical = (timeZone: string) => new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
    for (const [former, name] of Object.entries(RENAMED_ZONES)) expect([name, canonical(name)]).toEqual([name, former]);
  });
});

describe("the zones of customers' limits", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.close());

  test("get the names that the database of an upgraded machine knows", async () => {
    const { db } = database.handle;
    const zones = ["Asia/Calcutta", "Europe/Paris", "Mars/Olympus"];
    const at = new Date();
    for (const time_zone of zones) {
      const { id } = await newCustomer(database.handle);
      await db.insertInto("guard_rail").values({ customer_id: id, time_zone, updated_at: at }).execute();
    }
    await renameZones(db, pino({ level: "silent" }), today);
    const rows = await db.selectFrom("guard_rail").select("time_zone").orderBy("time_zone").execute();
    expect(rows.map((row) => row.time_zone)).toEqual(["Asia/Kolkata", "Europe/Paris", "Mars/Olympus"]);
  });

  test("are refused where the database knows none of their names", async () => {
    expect(await zoneOf(database.handle.db, "Asia/Calcutta")).toBe("Asia/Kolkata");
    await expect(zoneOf(database.handle.db, "Mars/Olympus")).rejects.toThrow();
  });
});
