import { sql } from "kysely";
import { DAY_MS, MINUTE_MS } from "@farline/domain/durations.ts";
import { EXPORT_DAYS } from "@farline/contract/constants.ts";
import { unzipSync, strFromU8 } from "fflate";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PERSON, plantPerson } from "../../../test/plant-person.ts";
import { tokenIn } from "../../../test/fakes/test-mailbox.ts";
import { personalWorld, type PersonalWorld } from "../../../test/worlds/personal-world.ts";
import { insertSecurityEvent } from "../../accounts/accounts.ts";
import { ledger } from "../../ledger/ledger.ts";
import { PERSONAL_TABLES } from "../personal-tables.ts";
import { prepareExports } from "./prepare-exports.ts";

const SUBJECT = "Your data is ready";

let world: PersonalWorld;
let person: Awaited<ReturnType<PersonalWorld["signUp"]>>;
beforeEach(async () => {
  world = await personalWorld();
  person = await world.signUp();
});
afterEach(() => world.close());

const asked = async (token = person.token) =>
  (await world.request("GET", "/api/account/export", undefined, { token })).json().export;
const order = (token = person.token) => world.request("POST", "/api/account/export", undefined, { token });
const ticket = (link: string, token = person.token) =>
  world.request("POST", "/api/account/export/ticket", { token: link }, { token });
const file = (of: string) => world.request("GET", `/api/account/export/file?ticket=${of}`);
const mails = () => world.mailbox.to(person.email).filter(({ subject }) => subject === SUBJECT);
const count = async (table: string) =>
  (await sql<any>`select count(*)::int as n from ${sql.raw(table)}`.execute(world.database.handle.db)).rows[0].n;

/** A prepared copy. @returns the mailed link's token */
async function prepared(): Promise<string> {
  expect((await order()).statusCode).toBe(202);
  await world.work();
  await world.deliver();
  return tokenIn(mails().at(-1));
}

async function download(link: string): Promise<Record<string, string>> {
  const answer = await file((await ticket(link)).json().ticket);
  expect([answer.statusCode, answer.headers["content-type"]]).toEqual([200, "application/zip"]);
  expect(answer.headers["content-disposition"]).toMatch(/^attachment; filename="farline-data-[-\d]{10}\.zip"$/);
  const files = unzipSync(new Uint8Array(answer.rawPayload));
  return Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, strFromU8(bytes)]));
}

describe("a copy of everything", () => {
  test("has every exported table, the calls, the statement, the contacts and the receipts", async () => {
    // The planted charge is posted with the database's time.
    world.clock.advance(Date.now() - MINUTE_MS - world.clock.now().getTime());
    person = await world.signUp();
    world.clock.advance(5 * MINUTE_MS);
    await plantPerson(world.database.handle, person.id);
    await sql`delete from data_export`.execute(world.database.handle.db);
    await sql`update customer set email = ${person.email}, email_key = lower(${person.email}) where id = ${person.id}`.execute(
      world.database.handle.db,
    );
    const files = await download(await prepared());
    const exported = Object.entries(PERSONAL_TABLES).filter(([, { exported: columns }]) => columns.length > 0);
    expect(Object.keys(files).toSorted()).toEqual(
      [
        "README.txt",
        "calls.csv",
        "contacts.vcf",
        "receipts/farline-receipt-2026-000001.pdf",
        "statement.csv",
        ...exported.map(([table]) => `data/${table}.json`),
      ].toSorted(),
    );
    for (const [table, { exported: columns }] of exported) {
      const rows = JSON.parse(files[`data/${table}.json`] ?? "") as object[];
      // Tables selected by address have the planted person's address.
      if (!["mail", "newsletter_subscription", "failed_sign_in", "password_reset_request"].includes(table))
        expect([table, rows.length]).not.toEqual([table, 0]);
      for (const row of rows) expect(Object.keys(row)).toEqual(columns);
    }
    expect(files["calls.csv"]).toContain(PERSON.calledNumber);
    expect(files["statement.csv"]).toContain(`Call to ${PERSON.calledText}`);
    expect(files["contacts.vcf"]).toContain("Markfield");
    expect(files["receipts/farline-receipt-2026-000001.pdf"]).toMatch(/^%PDF/);
    expect(files["README.txt"]).toContain("everything that Farline holds about you");
  });

  test("has no data of another customer", async () => {
    await plantPerson(world.database.handle, (await world.signUp()).id);
    const files = await download(await prepared());
    expect(Object.values(files).join("\n")).not.toMatch(/Markfield|5512345/i);
  });

  test("does not name a family member's call that the customer paid", async () => {
    const member = await world.signUp();
    const { db } = world.database.handle;
    const micros = 1_000_000n;
    const topUp = { key: "top-up", customerId: person.id, kind: "top_up", amountMicros: micros, referenceId: null } as const;
    await ledger.credit(db, { ...topUp, description: "Top-up" });
    const holdId = crypto.randomUUID();
    await ledger.hold(db, { holdId, customerId: person.id, callerId: member.id, wantMicros: micros, leastMicros: micros });
    await ledger.postHold(db, { holdId, chargeMicros: micros, description: "Call of a family member" });
    const files = await download(await prepared());
    expect(files["data/ledger_transaction.json"]).toContain("Call of a family member");
    expect(JSON.parse(files["data/hold.json"] ?? "")).toMatchObject([{ id: null, posted_micros: 1_000_000 }]);
    expect(Object.values(files).join("\n")).not.toContain(holdId);
  });

  test("does not say why an account was frozen, which may name another's card", async () => {
    const { db } = world.database.handle;
    const event = { customerId: person.id, from: null, at: world.clock.now() };
    await insertSecurityEvent(db, { ...event, kind: "account_frozen", detail: "The payment with Visa •••• 4242 is disputed." });
    await insertSecurityEvent(db, { ...event, kind: "passkey_added", detail: "My laptop" });
    const files = await download(await prepared());
    const events: { kind: string; detail: string | null }[] = JSON.parse(files["data/security_event.json"] ?? "");
    expect(events.find(({ kind }) => kind === "account_frozen")).toMatchObject({ detail: null });
    expect(events.find(({ kind }) => kind === "passkey_added")).toMatchObject({ detail: "My laptop" });
  });

  test("can be downloaded once, in full, only by its own account", async () => {
    const link = await prepared();
    expect(await asked()).toMatchObject({ state: "ready", bytes: expect.any(Number) });
    const other = await world.signUp();
    expect((await ticket(link, other.token)).json().code).toBe("link_expired");
    const first = (await ticket(link)).json().ticket;
    const second = (await ticket(link)).json().ticket;
    expect((await file(first)).statusCode).toBe(200);
    await expect.poll(async () => (await asked()).state).toBe("downloaded");
    expect((await file(first)).json().code).toBe("link_expired");
    expect((await file(second)).json().code).toBe("link_expired");
    expect((await ticket(link)).json().code).toBe("link_expired");
    expect(await count("data_export_part")).toBe(0);
  });

  test("expires with its file", async () => {
    const link = await prepared();
    world.clock.advance(EXPORT_DAYS * DAY_MS);
    expect((await ticket(link)).json().code).not.toBe(undefined);
    await world.work();
    expect(await count("data_export_part")).toBe(0);
    const { rows } = await sql<any>`select state from data_export`.execute(world.database.handle.db);
    expect(rows).toEqual([{ state: "expired" }]);
  });

  test("needs a recent sign-in", async () => {
    world.clock.advance(11 * 60 * 1000);
    expect((await order()).json().code).toBe("reauth_required");
    expect(await asked()).toBeNull();
  });

  test("is prepared once, however often it is requested in the meantime", async () => {
    await world.database.warmUp();
    const answers = await Promise.all(Array.from({ length: 6 }, () => order()));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(6).fill(202));
    expect(await count("data_export")).toBe(1);
    await world.work();
    await world.work();
    await world.deliver();
    expect(mails()).toHaveLength(1);
  });

  test("replaces an earlier one, whose link stops working", async () => {
    const old = await prepared();
    await prepared();
    expect((await ticket(old)).json().code).toBe("link_expired");
    expect(await count("data_export")).toBe(1);
  });

  test("may be requested three times a day", async () => {
    const strict = await personalWorld(1);
    const { token } = await strict.signUp();
    const codes: number[] = [];
    for (let time = 0; time < 4; time++) {
      codes.push((await strict.request("POST", "/api/account/export", undefined, { token })).statusCode);
      await strict.work();
    }
    expect(codes).toEqual([202, 202, 202, 429]);
    await strict.close();
  });
});

describe("an unfinished copy", () => {
  test("of a process that died is prepared again, without the old parts", async () => {
    await order();
    const { db } = world.database.handle;
    await sql`update data_export set tries = 1, next_try_at = ${new Date(world.clock.now().getTime() + 60_000)}`.execute(db);
    await sql`insert into data_export_part select id, 1, 0, 'half' from data_export`.execute(db);
    await world.work();
    expect(await asked()).toMatchObject({ state: "preparing" });
    world.clock.advance(60_000);
    await world.work();
    expect(await asked()).toMatchObject({ state: "ready" });
    expect((await sql<any>`select distinct try from data_export_part`.execute(db)).rows).toEqual([{ try: 2 }]);
  });

  test("that is too large fails at once, and leaves no parts", async () => {
    await order();
    await prepareExports(world.ctx, new AbortController().signal, 100);
    expect(await asked()).toMatchObject({ state: "failed", failure: "too_large" });
    expect(await count("data_export_part")).toBe(0);
    expect((await order()).json().export.state).toBe("preparing");
  });

  test("fails after five attempts", async () => {
    await order();
    await sql`update data_export set tries = 5`.execute(world.database.handle.db);
    await world.work();
    expect(await asked()).toMatchObject({ state: "failed", failure: "broken" });
  });
});
