import { clocksOf } from "@farline/domain/countries/clocks.ts";
import { countries } from "@farline/domain/countries/countries.ts";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addContact } from "../../test/add-contact.ts";
import { createTestApp } from "../../test/create-test-app.ts";
import { newCustomer } from "../../test/new-customer.ts";
import { testContext } from "../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { testSession } from "../../test/test-session.ts";
import { sessionGuards } from "../accounts/accounts.ts";
import type { ServiceContext } from "../context.ts";
import { linkUses } from "../mail/mail.ts";
import { contactRoutes } from "../contacts/contacts.ts";
import { newsletterRoutes } from "../newsletter/newsletter.ts";
import { ManualClock } from "../../test/manual-clock.ts";
import type { App } from "../platform/http/http.ts";
import { linkToken } from "../platform/settings/secret-keys.ts";
import { reminderJobs, reminderRoutes } from "./reminders.ts";

const NOW = new Date("2026-03-20T12:00:00Z");

let database: TestDatabase;
let clock: ManualClock;
let ctx: ServiceContext;
let app: App;
let customerId: string;
beforeEach(async () => {
  database = await testDatabase();
  clock = new ManualClock(NOW);
  const { handle } = database;
  const customer = await newCustomer(handle);
  customerId = customer.id;
  await sql`update customer set email_verified = true where id = ${customerId}`.execute(handle.db);
  const authenticate = async () =>
    testSession({ ...customer, status: "active", emailVerified: true, createdAt: customer.createdAt }, clock.now());
  ctx = testContext({ handle, clock, authenticate });
  app = createTestApp({ log: ctx.log, trustedProxies: 0, guards: sessionGuards(ctx) });
  reminderRoutes(app, ctx);
  contactRoutes(app, ctx);
  newsletterRoutes(app, ctx);
});
afterEach(async () => {
  await app.close();
  await database.close();
});

const MOTHER = { firstName: "Mama", number: "+233200000142", countryCode: "GH" };
const contact = (person = MOTHER) => addContact(database.handle, customerId, person);
const add = (body: object) => app.inject({ method: "POST", url: "/api/reminders", payload: body });
const list = async () => (await app.inject("/api/reminders")).json().reminders as { id: string; at: string }[];
async function send(): Promise<void> {
  for (const job of reminderJobs(ctx)) await job.run(new AbortController().signal);
}
async function mails(): Promise<{ data: Record<string, string> }[]> {
  const { rows } = await sql<any>`select data from mail where template = 'reminder'`.execute(database.handle.db);
  return rows;
}

describe("a reminder", () => {
  test("is mailed once, at the hour on the clock there", async () => {
    const added = await add({ contact_id: await contact(), date: "2026-03-21", time: "18:00" });
    expect(added.json().reminder).toMatchObject({
      at: "2026-03-21T18:00:00.000Z",
      time_zone: "Africa/Accra",
      local_time: "18:00",
    });
    clock.advance(29 * 3_600_000);
    await send();
    expect(await mails()).toEqual([]);
    clock.advance(3_600_000);
    await Promise.all([send(), send()]);
    await send();
    expect(await mails()).toMatchObject([{ data: { time: "18:00", countryCode: "GH" } }]);
    expect(await list()).toEqual([]);
  });

  test("of every week keeps its hour there when summer time begins", async () => {
    await add({
      contact_id: await contact({ ...MOTHER, number: "+442079460000", countryCode: "GB" }),
      date: "2026-03-22",
      time: "18:00",
      weekly: true,
    });
    expect((await list())[0]?.at).toBe("2026-03-22T18:00:00.000Z");
    clock.advance(2 * 86_400_000 + 6.1 * 3_600_000);
    await send();
    expect(await mails()).toHaveLength(1);
    expect((await list())[0]?.at).toBe("2026-03-29T17:00:00.000Z");
  });

  test("is on the clock of the number's prefix, not of the capital", async () => {
    const contact_id = await contact({ ...MOTHER, number: "+12135550123", countryCode: "US" });
    const added = await add({ contact_id, date: "2026-03-21", time: "18:00" });
    expect(added.json().reminder).toMatchObject({ at: "2026-03-22T01:00:00.000Z", time_zone: "America/Los_Angeles" });
    clock.advance(37 * 3_600_000);
    await send();
    expect(await mails()).toMatchObject([{ data: { time: "18:00", timeZone: "America/Los_Angeles" } }]);
  });

  test("of a number on one of several clocks needs a choice, which is kept with the contact until its number changes", async () => {
    const contact_id = await contact({ ...MOTHER, number: "+61412345678", countryCode: "AU" });
    const when = { contact_id, date: "2026-03-21", time: "18:00" };
    const refused = await add(when);
    expect([refused.statusCode, refused.json().reason]).toEqual([422, "reminder_clock"]);
    for (const time_zone of ["Europe/London", "Mars/Olympus", "Australia/Hobart"])
      expect((await add({ ...when, time_zone })).json().reason).toBe("reminder_clock");
    const chosen = await add({ ...when, time_zone: "Australia/Perth" });
    expect(chosen.json().reminder).toMatchObject({ at: "2026-03-21T10:00:00.000Z", time_zone: "Australia/Perth" });
    expect((await add(when)).json().reminder.time_zone).toBe("Australia/Perth");
    const read = async () => (await app.inject(`/api/contacts`)).json().contacts[0].time_zone as string | null;
    expect(await read()).toBe("Australia/Perth");
    const change = (phone_number: string) =>
      app.inject({ method: "PUT", url: `/api/contacts/${contact_id}`, payload: { first_name: "Mama", phone_number } });
    expect((await change("+61412345678")).json().contact.time_zone).toBe("Australia/Perth");
    expect((await change("+61412345679")).json().contact.time_zone).toBeNull();
  });

  test.each([
    ["the first of an hour that comes twice", "+442079460000 GB", "2026-10-25 01:30", "2026-10-25T00:30:00.000Z"],
    ["the first of an hour that comes twice in New York", "+12125550123 US", "2026-11-01 01:30", "2026-11-01T05:30:00.000Z"],
    ["the offset before half an hour that is skipped", "+61265632000 AU", "2026-10-04 02:15", "2026-10-03T15:45:00.000Z"],
  ])("is due at %s", async (_case, where, when, at) => {
    const [number = "", countryCode = ""] = where.split(" ");
    const [date, time] = when.split(" ");
    const contact_id = await contact({ ...MOTHER, number, countryCode });
    expect((await add({ contact_id, date, time })).json().reminder.at).toBe(at);
  });

  test("that an outage delayed is not mailed late, and the next one stays", async () => {
    await add({ contact_id: await contact(), date: "2026-03-21", time: "18:00", weekly: true });
    clock.advance(17 * 86_400_000);
    await send();
    expect(await mails()).toEqual([]);
    expect((await list())[0]?.at).toBe("2026-04-11T18:00:00.000Z");
  });

  test.each(["status = 'frozen'", "closes_at = now()", "email_verified = false"])("is quiet while %s", async (state) => {
    await add({ contact_id: await contact(), date: "2026-03-21", time: "18:00" });
    await sql`update customer set ${sql.raw(state)} where id = ${customerId}`.execute(database.handle.db);
    clock.advance(30.1 * 3_600_000);
    await send();
    expect(await mails()).toEqual([]);
  });

  test("is one of at most twenty that a customer is mailed in a day", async () => {
    const contact_id = await contact();
    for (const time of ["13:00", "14:00"]) {
      for (let made = 0; made < 20; made += 1) await add({ contact_id, date: "2026-03-20", time });
      clock.advance(3_600_000);
      await send();
    }
    expect(await list()).toEqual([]);
    expect(await mails()).toHaveLength(20);
  });

  test("ends with the link in its mail, without signing in, and with its contact", async () => {
    const contactId = await contact();
    const { id } = (await add({ contact_id: contactId, date: "2026-03-21", time: "18:00", weekly: true })).json().reminder;
    const token = linkToken(ctx.config.secretKeys, linkUses.reminderStop, id);
    const stop = () => app.inject({ method: "POST", url: "/api/newsletter/unsubscribe", payload: { token } });
    expect((await stop()).statusCode).toBe(200);
    expect((await stop()).json().code).toBe("link_expired");
    await add({ contact_id: contactId, date: "2026-03-21", time: "18:00" });
    await sql`delete from contact where id = ${contactId}`.execute(database.handle.db);
    expect(await list()).toEqual([]);
  });
});

test("PostgreSQL knows every clock that a reminder can have", async () => {
  const clocks = [...new Set(countries.flatMap(({ iso2 }) => clocksOf(iso2)))];
  const { rows } = await sql<{ missing: string }>`
    select wanted as missing from unnest(${clocks}::text[]) wanted
    where not exists (select from pg_timezone_names where name = wanted)`.execute(database.handle.db);
  expect(rows).toEqual([]);
});

describe("refused are", () => {
  test("times in the past, far ahead or unreadable", async () => {
    const contact_id = await contact();
    for (const when of [
      { date: "2026-03-20", time: "11:59" },
      { date: "2027-12-01", time: "18:00" },
      { date: "2026-02-30", time: "18:00" },
      { date: "2026-03-21", time: "25:00" },
    ])
      expect((await add({ contact_id, ...when })).statusCode).toBe(422);
    expect(await list()).toEqual([]);
  });

  test("another customer's contact, and the twenty-first", async () => {
    const other = await newCustomer(database.handle);
    const theirs = await addContact(database.handle, other.id, MOTHER);
    expect((await add({ contact_id: theirs, date: "2026-03-21", time: "18:00" })).statusCode).toBe(404);
    const contact_id = await contact();
    for (let one = 0; one < 20; one += 1)
      expect((await add({ contact_id, date: "2026-03-21", time: "18:00" })).statusCode).toBe(200);
    expect((await add({ contact_id, date: "2026-03-21", time: "18:00" })).json().reason).toBe("reminders_full");
  });
});
