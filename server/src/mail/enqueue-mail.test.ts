import { HOUR_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { askerOf, enqueueMail, type Mailed, type OutgoingMail } from "./enqueue-mail.ts";

const AT = new Date("2026-11-29T08:00:00Z");
const LINK_ID = "0199bbbb-0000-7000-8000-0000000000ab";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

function enqueue(key: string, change: Partial<OutgoingMail> = {}): Promise<Mailed> {
  const mail = {
    asker: { by: "owner" },
    template: "verify_email",
    data: { name: "Ada", linkId: LINK_ID },
    to: `${key}@example.com`,
    language: "en",
    key,
    at: AT,
    ...change,
  } as OutgoingMail;
  return database.handle.db.transaction().execute((tx) => enqueueMail(tx, mail));
}

async function rowOf(key: string): Promise<{ hours: number; asked_by: string | null } | undefined> {
  const { rows } = await sql<{ hours: number; asked_by: string | null }>`
    select extract(epoch from useful_until - created_at)::int / 3600 as hours, asked_by from mail where key = ${key}`.execute(
    database.handle.db,
  );
  return rows[0];
}

test("only a confirmed address makes its account the owner, whose mails strangers cannot use up", () => {
  expect(askerOf({ id: LINK_ID, emailVerified: true })).toEqual({ by: "owner" });
  expect(askerOf({ id: LINK_ID, emailVerified: false })).toEqual({ by: "holder", customerId: LINK_ID });
});

test("a mail is tried for a day at most, and for less if its link expires earlier", async () => {
  const hours = async (key: string, most?: number) => {
    const change = most === undefined ? {} : { usefulUntil: new Date(AT.getTime() + most * HOUR_MS) };
    expect(await enqueue(key, change)).toMatchObject({ going: true });
    return (await rowOf(key))?.hours;
  };
  expect([await hours("without"), await hours("short", 2), await hours("long", 72)]).toEqual([24, 2, 24]);
});

test("who asked is kept with the mail; a notice and an owner's mail name nobody", async () => {
  await enqueue("holder", { asker: { by: "holder", customerId: LINK_ID } });
  await enqueue("owner");
  await enqueue("notice", {
    asker: undefined,
    template: "security_notice",
    data: { name: "Ada", event: "family_joined", at: AT.toISOString(), device: null },
  } as unknown as Partial<OutgoingMail>);
  const asked = await Promise.all(["holder", "owner", "notice"].map(async (key) => (await rowOf(key))?.asked_by));
  expect(asked).toEqual([LINK_ID, null, null]);
});

test("nothing is mailed to an erased account", async () => {
  expect(await enqueue("erased", { to: "0199bbbb@erased.invalid" })).toMatchObject({ going: false });
  expect(await rowOf("erased")).toBeUndefined();
});
