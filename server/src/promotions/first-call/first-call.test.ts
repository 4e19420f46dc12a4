import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PromotionWorld } from "../../../test/worlds/promotion-world.ts";
import { deleteOldIdentityHashes } from "../../accounts/identity-hashes/identity-hash.store.ts";
import { mailboxOf } from "../../accounts/identity-hashes/identity-hashes.ts";

let world: PromotionWorld;
beforeEach(async () => {
  world = await PromotionWorld.start();
});
afterEach(() => world.close());

test("a customer who verifies an address gets the first-call bonus once, however often it is verified and the job runs", async () => {
  const ada = await world.signUp();
  await world.runJobs();
  expect(await world.bonus(ada)).toBe(0);
  await world.prove(ada);
  for (let i = 0; i < 3; i++) await world.runJobs();
  await world.prove(ada);
  await world.runJobs();
  expect(await world.bonus(ada)).toBe(0.25);
});

describe("nobody gets a second first-call bonus", () => {
  test("with another spelling of the same mailbox", async () => {
    const [first, second] = [
      await world.signUp({ email: "Ada.Lovelace@gmail.com" }),
      await world.signUp({ email: "adalovelace+2@googlemail.com" }),
    ];
    await world.prove(first, second);
    await world.runJobs();
    expect([await world.bonus(first), await world.bonus(second)]).toEqual([0.25, 0]);
    expect(await world.refusal("first_call", second)).toBe("same_address");
  });

  test("with a disposable address, or one at a subdomain of a disposable service", async () => {
    const people = [await world.signUp({ email: "ada@mailinator.com" }), await world.signUp({ email: "ada@x.mailinator.com" })];
    await world.prove(...people);
    await world.runJobs();
    for (const one of people) {
      expect(await world.bonus(one)).toBe(0);
      expect(await world.refusal("first_call", one)).toBe("disposable_address");
    }
  });

  test("in the same browser", async () => {
    const first = await world.signUp();
    const second = await world.signUp({ browser: first.browser });
    await world.prove(first, second);
    await world.runJobs();
    expect([await world.bonus(first), await world.bonus(second)]).toEqual([0.25, 0]);
    expect(await world.refusal("first_call", second)).toBe("same_browser");
  });

  test("from the same network within 30 days, loopback addresses excepted", async () => {
    const network = "198.51.100.x";
    const [first, second] = [await world.signUp({ network }), await world.signUp({ network })];
    await world.prove(first, second);
    await world.runJobs();
    expect([await world.bonus(first), await world.bonus(second)]).toEqual([0.25, 0]);
    world.clock.advance(31 * DAY_MS);
    const later = await world.signUp({ network });
    const neighbours = [await world.signUp({ network: "127.0.0.x" }), await world.signUp({ network: "127.0.0.x" })];
    await world.prove(later, ...neighbours);
    await world.runJobs();
    for (const one of [later, ...neighbours]) expect(await world.bonus(one)).toBe(0.25);
  });
});

test("a first call that cannot be decided does not block others, and is decided later", async () => {
  const [stuck, ada] = [await world.signUp(), await world.signUp()];
  const { db } = world.database.handle;
  await sql`alter table account add constraint broken check (customer_id <> '${sql.raw(stuck.id)}') not valid`.execute(db);
  await world.prove(stuck);
  await world.prove(ada);
  for (let i = 0; i < 2; i++) await world.runJobs();
  expect([await world.bonus(stuck), await world.bonus(ada)]).toEqual([0, 0.25]);
  await sql`alter table account drop constraint broken`.execute(db);
  world.clock.advance(61_000);
  await world.runJobs();
  expect(await world.bonus(stuck)).toBe(0.25);
});

test("signing out before opening the link does not give a second one, wherever it is opened", async () => {
  const network = "198.51.100.x";
  const people = await Promise.all([1, 2, 3].map(() => world.signUp({ network })));
  for (const [index, one] of people.entries()) {
    await world.signOut(one);
    expect(await world.openLink(one, index === 2 ? "203.0.99.x" : network)).toBe(200);
  }
  const elsewhere = await world.signUp();
  await world.signOut(elsewhere);
  expect(await world.openLink(elsewhere, network)).toBe(200);
  await world.runJobs();
  expect(await Promise.all([...people, elsewhere].map((one) => world.bonus(one)))).toEqual([0.25, 0, 0, 0]);
  expect(await world.refusal("first_call", elsewhere)).toBe("same_network");
});

test.each(["browser", "network"])("a customer without a known %s waits, and is refused after 30 days", async (kind) => {
  const [soon, never] = [await world.signUp(), await world.signUp()];
  const { db } = world.database.handle;
  const { rows: kept } = await sql<any>`select * from person_mark where customer_id = ${soon.id} and kind = ${kind}`.execute(db);
  await sql`delete from person_mark where customer_id = any (${[soon.id, never.id]}) and kind = ${kind}`.execute(db);
  await world.prove(soon, never);
  await world.runJobs();
  expect([await world.bonus(soon), await world.refusal("first_call", soon)]).toEqual([0, null]);
  await sql`insert into person_mark values (${soon.id}, ${kind}, ${kept[0].mark}, ${world.clock.now()})`.execute(db);
  world.clock.advance(DAY_MS);
  await world.runJobs();
  expect(await world.bonus(soon)).toBe(0.25);
  world.clock.advance(31 * DAY_MS);
  await world.runJobs();
  expect(await world.refusal("first_call", never)).toBe("no_origin");
});

test("network marks are deleted after 60 days, mailbox and browser marks three years after the last sign-in", async () => {
  const ada = await world.signUp({ network: "198.51.100.x" });
  const { db } = world.database.handle;
  const kinds = async () =>
    (await sql<any>`select kind from person_mark where customer_id = ${ada.id} order by kind`.execute(db)).rows.map(
      ({ kind }) => kind,
    );
  const forget = () => deleteOldIdentityHashes(world.database.handle.db, world.clock.now(), new AbortController().signal);
  world.clock.advance(59 * DAY_MS);
  await forget();
  expect(await kinds()).toEqual(["browser", "mailbox", "network"]);
  world.clock.advance(2 * DAY_MS);
  await forget();
  expect(await kinds()).toEqual(["browser", "mailbox"]);
  world.clock.advance(3 * 365 * DAY_MS);
  await forget();
  expect(await kinds()).toEqual([]);
});

test("frozen customers get none, and nobody does if the promotion is off", async () => {
  const ada = await world.signUp();
  await sql`update customer set status = 'frozen' where id = ${ada.id}`.execute(world.database.handle.db);
  await world.prove(ada);
  await world.runJobs();
  expect(await world.refusal("first_call", ada)).toBe("frozen");
  const closed = await PromotionWorld.start(1, { firstCallMicros: 0n, referralMicros: 0n, freeCreditPerDayMicros: 0n });
  const bob = await closed.signUp();
  await closed.prove(bob);
  await closed.runJobs();
  expect([await closed.bonus(bob), await closed.refusal("first_call", bob)]).toEqual([0, "off"]);
  await closed.close();
});

test.each([
  ["A.B+news@Gmail.com", "ab@gmail.com"],
  ["a.b+news@Example.com", "a.b@example.com"],
  ['"odd@name"@example.com', '"odd@name"@example.com'],
])("%s is the mailbox %s", (address, mailbox) => expect(mailboxOf(address)).toBe(mailbox));
