import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PromotionWorld, type Person } from "../../../test/worlds/promotion-world.ts";
import { ledger } from "../../ledger/ledger.ts";
import { BONUS_DESCRIPTIONS } from "../promotion-limits.ts";
import { revokeReferralReward } from "../promotions.ts";
import { findInvitation } from "./take-back.ts";
import { refuseReturned } from "./referral.store.ts";
import { rewardReferrals } from "./reward-referrals.ts";

let world: PromotionWorld;
beforeEach(async () => {
  world = await PromotionWorld.start(1, {
    firstCallMicros: 0n,
    referralMicros: 2_000_000n,
    freeCreditPerDayMicros: 200_000_000n,
  });
});
afterEach(() => world.close());

const bonuses = (...people: Person[]) => Promise.all(people.map((one) => world.bonus(one)));

async function descriptions({ id }: Person): Promise<string[]> {
  const { rows } = await ledger.transactions(world.database.handle.db, id, { limit: 10 });
  return rows.map((line) => line.description ?? "");
}

test("both get the bonus once when the invited customer's first payment is credited", async () => {
  const inviter = await world.signUp();
  const [friend, other] = [await world.invite(inviter), await world.invite(inviter)];
  await world.prove(inviter, friend, other);
  await world.runJobs();
  expect(await bonuses(inviter, friend)).toEqual([0, 0]);
  await world.pay(friend, 10);
  await world.pay(friend, 20);
  for (let i = 0; i < 3; i++) await world.runJobs();
  expect(await bonuses(inviter, friend, other)).toEqual([2, 2, 0]);
  expect([await descriptions(inviter), await descriptions(friend)]).toEqual([
    [BONUS_DESCRIPTIONS.invitation],
    [BONUS_DESCRIPTIONS.welcome],
  ]);
  const { body } = await world.request(inviter, "GET", "/api/referral");
  expect(body).toMatchObject({ invited: 2, rewarded: 1, earned: "2.00", bonus: "2.00", min_top_up: "10.00", enabled: true });
  expect(body.link).toBe(`https://farline.example/register?ref=${body.code}`);
});

test("the reward waits until the address is verified, and then follows without another payment", async () => {
  const inviter = await world.signUp();
  const friend = await world.invite(inviter);
  const paymentId = await world.pay(friend, 10);
  const paidAt = world.clock.now().getTime();
  await world.runJobs();
  const { rows } = await sql<any>`select state, next_look_at from referral where payment_id = ${paymentId}`.execute(
    world.database.handle.db,
  );
  expect(rows).toEqual([{ state: "invited", next_look_at: new Date(paidAt + 30 * DAY_MS) }]);
  await world.prove(friend);
  await world.runJobs();
  expect(await bonuses(inviter, friend)).toEqual([0, 0]);
  await world.prove(inviter);
  await world.runJobs();
  expect(await bonuses(inviter, friend)).toEqual([2, 2]);
});

test("a stopped job decides nothing, and concurrent jobs decide once", async () => {
  const inviter = await world.signUp();
  const friend = await world.invite(inviter);
  await world.prove(inviter, friend);
  await world.pay(friend, 10);
  world.clock.advance(1_000);
  await rewardReferrals(world.ctx, AbortSignal.abort());
  expect(await bonuses(inviter, friend)).toEqual([0, 0]);
  await Promise.all(Array.from({ length: 4 }, () => rewardReferrals(world.ctx, new AbortController().signal)));
  expect(await bonuses(inviter, friend)).toEqual([2, 2]);
});

test("the inviter's verified address alone is not enough", async () => {
  const inviter = await world.signUp();
  const friend = await world.invite(inviter);
  await world.pay(friend, 10);
  await world.prove(inviter);
  await world.runJobs();
  expect(await bonuses(inviter, friend)).toEqual([0, 0]);
});

test("only the first payment counts, even if it is too small", async () => {
  const inviter = await world.signUp();
  const friend = await world.invite(inviter);
  await world.prove(inviter, friend);
  await world.pay(friend, 5);
  await world.pay(friend, 20);
  await world.runJobs();
  expect(await world.refusal("referral", friend)).toBe("too_small");
});

test("an address not verified within 30 days earns no reward", async () => {
  const inviter = await world.signUp();
  const friend = await world.invite(inviter);
  await world.pay(friend, 10);
  await world.runJobs();
  world.clock.advance(31 * DAY_MS);
  await world.runJobs();
  expect(await world.refusal("referral", friend)).toBe("not_verified");
});

test("a payment returned while its invitation is being decided is not rewarded", async () => {
  const inviter = await world.signUp();
  const friend = await world.invite(inviter);
  await world.prove(inviter, friend);
  const paymentId = await world.pay(friend, 10);
  world.clock.advance(1_000);
  let deciding = Promise.resolve();
  await world.database.handle.db.transaction().execute(async (tx) => {
    await refuseReturned(tx, { paymentId, now: world.clock.now() });
    deciding = rewardReferrals(world.ctx, new AbortController().signal);
    await expect.poll(() => waitingForLocks()).toBe(1);
  });
  await deciding;
  expect([await world.refusal("referral", friend), ...(await bonuses(inviter, friend))]).toEqual(["returned", 0, 0]);
});

/** Statements in this test's database that wait for a lock. */
async function waitingForLocks(): Promise<number> {
  const { rows } =
    await sql<any>`select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
      world.database.handle.db,
    );
  return rows[0].n;
}

describe("self-invitation is refused", () => {
  test.each<[string, (inviter: Person) => Promise<Person>, { dollars: number; cardShared?: boolean }, string]>([
    ["same browser", (inviter) => world.invite(inviter, { browser: inviter.browser }), { dollars: 10 }, "same_browser"],
    ["same network", (inviter) => world.invite(inviter, { network: "203.0.1.x" }), { dollars: 10 }, "same_network"],
    [
      "the same mailbox",
      (inviter) => world.invite(inviter, { email: "ada+friend@example.com" }),
      { dollars: 10 },
      "same_address",
    ],
    ["same card", (inviter) => world.invite(inviter), { dollars: 10, cardShared: true }, "same_card"],
    [
      "a throw-away address",
      (inviter) => world.invite(inviter, { email: "friend@mailinator.com" }),
      { dollars: 10 },
      "disposable_address",
    ],
    ["a payment that is too small", (inviter) => world.invite(inviter), { dollars: 5 }, "too_small"],
  ])("%s", async (_name, invite, { dollars, cardShared }, refusal) => {
    const inviter = await world.signUp({ network: "203.0.1.x", email: "ada@example.com" });
    const friend = await invite(inviter);
    await world.prove(inviter, friend);
    await world.pay(friend, dollars, cardShared);
    await world.runJobs();
    expect(await bonuses(inviter, friend)).toEqual([0, 0]);
    expect(await world.refusal("referral", friend)).toBe(refusal);
  });

  test.each(["inviter", "invited"])("a frozen account: the %s's", async (side) => {
    const inviter = await world.signUp();
    const friend = await world.invite(inviter);
    await world.prove(inviter, friend);
    await world.pay(friend, 10);
    const frozen = side === "inviter" ? inviter : friend;
    await sql`update customer set status = 'frozen' where id = ${frozen.id}`.execute(world.database.handle.db);
    await world.runJobs();
    expect([await world.refusal("referral", friend), ...(await bonuses(inviter, friend))]).toEqual(["frozen", 0, 0]);
  });

  test("an inviter with a disposable address", async () => {
    const inviter = await world.signUp({ email: "inviter@mailinator.com" });
    const friend = await world.invite(inviter);
    await world.prove(inviter, friend);
    await world.pay(friend, 10);
    await world.runJobs();
    expect(await world.refusal("referral", friend)).toBe("disposable_address");
  });
});

test("a returned payment takes back both bonuses as far as they are unspent", async () => {
  const inviter = await world.signUp();
  const [friend, other] = [await world.invite(inviter), await world.invite(inviter)];
  await world.prove(inviter, friend, other);
  const { db } = world.database.handle;
  const found = () => findInvitation(db, friend.id);
  expect(await found()).toBe(null);
  const paymentId = await world.pay(friend, 20);
  const secondId = await world.pay(friend, 20);
  await world.pay(other, 10);
  expect(await found()).toBe(null);
  await world.runJobs();
  expect(await bonuses(inviter, friend)).toEqual([4, 2]);
  expect(await found()).toEqual({ paymentId, inviterId: inviter.id, invitedMicros: 2_000_000n, inviterMicros: 2_000_000n });
  const goesBack = (leftMicros: bigint, id = paymentId) =>
    db.transaction().execute((tx) =>
      revokeReferralReward(tx, ledger, {
        paymentId: id,
        customerId: friend.id,
        cause: `refund:${leftMicros}`,
        leftMicros,
        now: world.clock.now(),
      }),
    );
  await goesBack(10_000_000n);
  await goesBack(0n, secondId);
  await world.runJobs();
  expect(await bonuses(inviter, friend)).toEqual([4, 2]);
  world.clock.advance(170 * DAY_MS);
  for (let i = 0; i < 2; i++) await goesBack(9_990_000n);
  expect(await bonuses(inviter, friend)).toEqual([2, 0]);
  expect(await found()).toBe(null);
});

test("an invitation that cannot be decided does not block others, and is decided later", async () => {
  const inviter = await world.signUp();
  const [stuck, friend] = [await world.invite(inviter), await world.invite(inviter)];
  await world.prove(inviter, stuck, friend);
  await world.pay(stuck, 10);
  await world.pay(friend, 10);
  const { db } = world.database.handle;
  await sql`alter table account add constraint broken check (customer_id <> '${sql.raw(stuck.id)}') not valid`.execute(db);
  for (let i = 0; i < 2; i++) await world.runJobs();
  expect(await bonuses(inviter, stuck, friend)).toEqual([2, 0, 2]);
  await sql`alter table account drop constraint broken`.execute(db);
  await world.runJobs();
  expect(await bonuses(stuck)).toEqual([0]);
  world.clock.advance(61_000);
  await world.runJobs();
  expect(await bonuses(inviter, stuck, friend)).toEqual([4, 2, 2]);
});

test("an inviter is rewarded for ten customers in 30 days, and the eleventh still gets their own bonus", async () => {
  const inviter = await world.signUp();
  await world.prove(inviter);
  const friends: Person[] = [];
  for (let i = 0; i < 11; i++) friends.push(await world.invite(inviter));
  await world.prove(...friends);
  for (const friend of friends) await world.pay(friend, 10);
  await world.runJobs();
  expect(await world.bonus(inviter)).toBe(20);
  expect(await bonuses(...friends)).toEqual(Array(11).fill(2));
  const other = await world.signUp();
  const theirs = await world.invite(other);
  await world.prove(other, theirs);
  await world.pay(theirs, 10);
  await world.runJobs();
  expect(await world.bonus(other)).toBe(2);
  await sql`update referral set decided_at = decided_at - interval '31 days'`.execute(world.database.handle.db);
  await sql`update free_credit set given_at = given_at - interval '31 days'`.execute(world.database.handle.db);
  const late = await world.invite(inviter);
  await world.prove(late);
  await world.pay(late, 10);
  await world.runJobs();
  expect(await world.bonus(inviter)).toBe(22);
});

test("without limits the inviter is rewarded for everyone", async () => {
  const free = await PromotionWorld.start(0, {
    firstCallMicros: 0n,
    referralMicros: 2_000_000n,
    freeCreditPerDayMicros: 200_000_000n,
  });
  const inviter = await free.signUp();
  const friend = await free.invite(inviter);
  await free.prove(inviter, friend);
  await free.pay(friend, 10, true);
  await free.runJobs();
  expect([await free.bonus(inviter), await free.bonus(friend)]).toEqual([2, 2]);
  await free.close();
});

describe("a claim is not accepted", () => {
  const claim = async (person: Person, code: string) =>
    (await world.request(person, "POST", "/api/referral/claim", { code })).body;
  const codeOf = async (person: Person) => (await world.request(person, "GET", "/api/referral")).body.code;

  test("for the customer's own code, an unknown code, a second claim, or after a day", async () => {
    const [ada, bob, eve] = [await world.signUp(), await world.signUp(), await world.signUp()];
    for (const code of [await codeOf(ada), "ABCDEFGH", "no code"])
      expect(await claim(ada, code)).toEqual({ accepted: false, bonus: "0.00" });
    expect(await claim(ada, (await codeOf(bob)).toLowerCase())).toEqual({ accepted: true, bonus: "2.00" });
    expect((await claim(ada, await codeOf(eve))).accepted).toBe(false);
    const code = await codeOf(ada);
    world.clock.advance(DAY_MS + 1);
    expect((await claim(eve, code)).accepted).toBe(false);
  });
});
