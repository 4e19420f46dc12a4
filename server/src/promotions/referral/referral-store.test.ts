import { DAY_MS } from "@farline/domain/durations.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PromotionWorld, type Person } from "../../../test/worlds/promotion-world.ts";
import { countRewards, dueReferrals, postponeReferral, refuseReturned, saveReferral } from "./referral.store.ts";

let world: PromotionWorld;
beforeAll(async () => {
  world = await PromotionWorld.start(1, {
    firstCallMicros: 0n,
    referralMicros: 2_000_000n,
    freeCreditPerDayMicros: 200_000_000n,
  });
});
afterAll(() => world.close());

const db = () => world.database.handle.db;
const later = (ms: number) => new Date(world.clock.now().getTime() + ms);
const referralOf = (invited: Person) =>
  db().selectFrom("referral").selectAll().where("invited_id", "=", invited.id).executeTakeFirstOrThrow();

/** An invited customer who has paid. */
async function paidInvitation(inviter: Person): Promise<{ friend: Person; paymentId: string }> {
  const friend = await world.invite(inviter);
  return { friend, paymentId: await world.pay(friend, 10) };
}

test("a returned payment refuses only its own invitation", async () => {
  const inviter = await world.signUp();
  const [one, two] = [await paidInvitation(inviter), await paidInvitation(inviter)];
  await refuseReturned(db(), { paymentId: one.paymentId, now: world.clock.now() });
  expect([await referralOf(one.friend), await referralOf(two.friend)]).toMatchObject([
    { state: "refused", refusal: "returned", next_look_at: null },
    { state: "invited", refusal: null },
  ]);
});

test("postponing an invitation never makes it due earlier, and does not change others", async () => {
  const inviter = await world.signUp();
  const [one, two] = [await paidInvitation(inviter), await paidInvitation(inviter)];
  const [now, until] = [later(1_000), later(DAY_MS)];
  await postponeReferral(db(), one.friend.id, { now, until });
  const due = await dueReferrals(db(), now, 1_000);
  expect([due.includes(one.friend.id), due.includes(two.friend.id)]).toEqual([false, true]);
  await postponeReferral(db(), one.friend.id, { now, until: later(2 * DAY_MS) });
  expect((await referralOf(one.friend)).next_look_at).toEqual(until);
});

test("an inviter's rewards are counted since a time, if the inviter got a bonus", async () => {
  const [inviter, other] = [await world.signUp(), await world.signUp()];
  const since = later(0);
  const rewarded = async (whose: Person, decidedAt: Date, inviterMicros: bigint) => {
    const { friend } = await paidInvitation(whose);
    await saveReferral(db(), friend.id, {
      state: "rewarded",
      invited_bonus_micros: 2_000_000n,
      inviter_bonus_micros: inviterMicros,
      next_look_at: null,
      decided_at: decidedAt,
    });
  };
  await rewarded(inviter, later(1), 2_000_000n);
  await rewarded(inviter, later(1), 0n);
  await rewarded(inviter, since, 2_000_000n);
  await rewarded(other, later(1), 2_000_000n);
  expect(
    await db()
      .transaction()
      .execute((tx) => countRewards(tx, inviter.id, since)),
  ).toBe(1);
});
