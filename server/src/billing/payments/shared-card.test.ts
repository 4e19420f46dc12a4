import { sql } from "kysely";
import { afterEach, describe, expect, test } from "vitest";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";

let world: BillingWorld;
afterEach(() => world.close());

async function invite(inviter: BillingClient): Promise<BillingClient> {
  const invited = await world.service.signUp();
  await sql`insert into referral (invited_id, inviter_id, created_at) values (${invited.id}, ${inviter.id}, now())`.execute(
    world.database.handle.db,
  );
  return invited;
}

async function sharesCard({ id }: BillingClient): Promise<boolean> {
  const { rows } = await sql<any>`select card_shared from referral where invited_id = ${id}`.execute(world.database.handle.db);
  return rows[0].card_shared;
}

describe("a card that pays for several accounts", () => {
  test.each([
    ["identifies nobody in test mode", { limitsScale: 1 }],
    ["freezes nobody where the limits are off", { limitsScale: 0, live: true }],
  ])("%s", async (_what, options) => {
    world = await BillingWorld.start(options);
    const people = [await world.service.signUp(), await world.service.signUp(), await world.service.signUp()];
    for (const person of people) await world.paid(person, { amount: 10 }, "one card");
    expect(await Promise.all(people.map((person) => world.statusOf(person)))).toEqual(["active", "active", "active"]);
  });

  test.each([
    ["needs_response", "frozen"],
    ["lost", "frozen"],
    ["warning_needs_response", "frozen"],
    ["won", "active"],
  ] as const)("and has a %s payment for one leaves the next account %s", async (status, standing) => {
    world = await BillingWorld.start({ limitsScale: 1, live: true });
    const [first, second, third] = [await world.service.signUp(), await world.service.signUp(), await world.service.signUp()];
    const { sessionId } = await world.paid(first, { amount: 10 }, "one card");
    const dispute = world.stripe.dispute(sessionId, status);
    const about = { id: dispute.id, payment_intent: world.stripe.session(sessionId).intent.id };
    await world.hear("charge.dispute.created", about);
    await world.paid(second, { amount: 10 }, "one card");
    await world.paid(third, { amount: 10 }, "own card");
    expect([await world.statusOf(second), await world.statusOf(third)]).toEqual([standing, "active"]);
  });

  test.each([
    ["was disputed for another account", { others: 1, disputed: true }],
    ["pays for two other accounts", { others: 2, disputed: false }],
  ])("and %s buys nothing for somebody else: the credit stays with the locked payer", async (_what, { others, disputed }) => {
    world = await BillingWorld.start({ limitsScale: 1, live: true });
    for (let other = 0; other < others; other += 1) {
      const { sessionId } = await world.paid(await world.service.signUp(), { amount: 10 }, "one card");
      if (disputed) await world.hear("charge.dispute.created", world.stripe.dispute(sessionId, "needs_response"));
    }
    const [thief, accomplice] = [await world.service.signUp(), await world.service.signUp()];
    await world.gives(thief, await world.asks(accomplice), 10, { card: "one card" });
    expect(await world.statusOf(thief)).toBe("frozen");
    expect((await thief.get("gifts")).body.gifts).toMatchObject([{ state: "kept" }]);
    expect([await world.money(thief), await world.money(accomplice)]).toEqual([
      { balance: 10, debt: 0, bonus: 0 },
      { balance: 0, debt: 0, bonus: 0 },
    ]);
  });

  test("is recorded with the paying customer's invitation, unlike a card used by one account", async () => {
    world = await BillingWorld.start({ live: true });
    const inviter = await world.service.signUp();
    const [honest, second, unknown] = [await invite(inviter), await invite(inviter), await invite(inviter)];
    await world.paid(inviter, { amount: 10 }, "one card");
    await world.paid(second, { amount: 10 }, "one card");
    await world.paid(honest, { amount: 10 }, "own card");
    await world.paid(unknown, { amount: 10 });
    expect(await Promise.all([honest, second, unknown].map(sharesCard))).toEqual([false, true, false]);
  });
});
