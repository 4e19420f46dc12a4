import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { providerCustomer } from "../cards/save-card.ts";
import { AutoTopUpWorld, ASKS_ONCE, choice, NO_MONEY, PAYS, SAVES_THEN_FAILS } from "../../../test/worlds/auto-top-up-world.ts";

let world: AutoTopUpWorld;
beforeAll(async () => {
  world = await AutoTopUpWorld.start();
});
afterEach(() => world.calm());
afterAll(() => world.close());

describe("a saved card", () => {
  test.each([PAYS, ASKS_ONCE])("%s is saved on the provider's page; only its display data is stored here", async (number) => {
    const caller = await world.service.signUp();
    const id = await world.save(caller, number);
    const { cards, settings, state } = await world.view(caller);
    expect(cards).toEqual([{ id, brand: "visa", last4: number.slice(-4), exp_month: 12, exp_year: 2034, expired: false }]);
    expect(settings).toEqual({ on: false, card_id: id, threshold: "5.00", amount: "20.00" });
    expect(state).toEqual({ kind: "off" });
  });

  test("and the next one are saved under their owner's present address, which the provider's page shows", async () => {
    const { ctx, signUp } = world.service;
    const { id } = await signUp();
    for (const email of [`${id}@example.com`, `moved-${id}@example.com`])
      expect(await ctx.stripe.customers.retrieve(await providerCustomer(ctx, { id, email }))).toMatchObject({ email });
  });

  test("appears on the billing page even if the event was lost", async () => {
    await world.chaos({ lose: true });
    const caller = await world.service.signUp();
    const id = await world.save(caller, PAYS);
    expect((await world.view(caller)).cards).toMatchObject([{ id, last4: PAYS.slice(-4) }]);
  });

  test("is stored by the job if the event was lost and the customer left", async () => {
    await world.chaos({ lose: true });
    const caller = await world.service.signUp();
    const { body } = await caller.post("cards", {});
    await world.enterCard(body.checkout_url, PAYS);
    world.service.clock.advance(3 * 60_000);
    await world.service.runJob("poll-card-setups");
    world.service.clock.advance(-3 * 60_000);
    const { rows } = await sql<any>`select last4 from saved_card where customer_id = ${caller.id}`.execute(
      world.database.handle.db,
    );
    expect(rows).toEqual([{ last4: "4242" }]);
  });

  test("is no longer waited for once its page is over, if the provider does not know that page", async () => {
    const caller = await world.service.signUp();
    await caller.post("cards", {});
    const { db } = world.database.handle;
    await sql`update card_setup set session_id = ${`cs_of_old_account_${caller.id}`} where customer_id = ${caller.id}`.execute(
      db,
    );
    const statusAfter = async (minutes: number) => {
      world.service.clock.advance(minutes * 60_000);
      await world.service.runJob("poll-card-setups");
      world.service.clock.advance(-minutes * 60_000);
      return (await sql<any>`select status from card_setup where customer_id = ${caller.id}`.execute(db)).rows[0].status;
    };
    expect([await statusAfter(3), await statusAfter(60)]).toEqual(["open", "expired"]);
  });

  test("replaces an earlier copy of the same card", async () => {
    const caller = await world.withCard(PAYS);
    const before = (await world.view(caller)).cards[0]?.id;
    const { body } = await caller.post("cards", {});
    await world.enterCard(body.checkout_url, PAYS);
    await expect.poll(async () => (await world.view(caller)).cards[0]?.id).not.toBe(before);
    const after = await world.view(caller);
    expect(after.cards).toHaveLength(1);
    expect(after.settings).toMatchObject({ on: true, card_id: after.cards[0]?.id });
  });

  test("saved once more does not restart an automatic top-up that has stopped", async () => {
    const caller = await world.withCard(SAVES_THEN_FAILS);
    await world.spend(caller, 5);
    for (let decline = 0; decline < 2; decline++) await world.service.runJob("watch-credit");
    const { cards } = await world.view(caller);
    const { body } = await caller.post("cards", {});
    await world.enterCard(body.checkout_url, SAVES_THEN_FAILS);
    await expect.poll(async () => (await world.view(caller)).cards[0]?.id).not.toBe(cards[0]?.id);
    const { state, settings, cards: after } = await world.view(caller);
    expect([state, settings.card_id]).toEqual([{ kind: "stopped", reason: "declined" }, after[0]?.id]);
    await world.service.runJob("watch-credit");
    expect(await world.charges(caller)).toHaveLength(2);
  });

  test("is removed here and at the provider, and its automatic top-up is switched off", async () => {
    const caller = await world.withCard(PAYS);
    const [card] = (await world.view(caller)).cards;
    const stranger = await world.service.signUp();
    expect((await stranger.send("DELETE", `cards/${card?.id}`)).status).toBe(404);
    const { body } = await caller.send("DELETE", `cards/${card?.id}`);
    expect(body).toMatchObject({ cards: [], settings: { on: false, card_id: null }, state: { kind: "off" } });
    expect((await caller.send("DELETE", `cards/${card?.id}`)).status).toBe(404);
    const { rows } = await sql<any>`select payment_method_id as id, detached_at from saved_card where id = ${card?.id}`.execute(
      world.database.handle.db,
    );
    expect(rows[0].detached_at).not.toBeNull();
    expect((await world.service.ctx.stripe.paymentMethods.retrieve(rows[0].id)).customer).toBeNull();
    await world.spend(caller, 5);
    await world.service.runJob("watch-credit");
    expect(await world.charges(caller)).toEqual([]);
  });

  test("of another account of the provider, as after a change of it, is removed for good", async () => {
    const caller = await world.service.signUp();
    const id = await world.save(caller, PAYS);
    const { db } = world.database.handle;
    await sql`update saved_card set payment_method_id = ${`pm_of_old_account_${id}`} where id = ${id}`.execute(db);
    expect((await caller.send("DELETE", `cards/${id}`)).body).toMatchObject({ cards: [] });
    const { rows } = await sql<any>`select detached_at from saved_card where id = ${id}`.execute(db);
    expect(rows).toEqual([{ detached_at: expect.any(Date) }]);
  });

  test("removed at the provider is removed here", async () => {
    const caller = await world.withCard(PAYS);
    const { rows } = await sql<any>`select payment_method_id as id from saved_card where customer_id = ${caller.id}`.execute(
      world.database.handle.db,
    );
    await world.service.ctx.stripe.paymentMethods.detach(rows[0].id);
    await expect.poll(() => world.view(caller)).toMatchObject({ cards: [], state: { kind: "off" } });
  });

  test("is saved again after the customer was deleted at the provider, and pays", async () => {
    const caller = await world.service.signUp();
    await world.save(caller, PAYS);
    const { rows } =
      await sql<any>`select provider_customer_id as id from stripe_customer where customer_id = ${caller.id}`.execute(
        world.database.handle.db,
      );
    await world.service.ctx.stripe.customers.del(rows[0].id);
    const saved = await caller.post("cards", {});
    expect(saved.status).toBe(200);
    await world.enterCard(saved.body.checkout_url, ASKS_ONCE);
    await expect.poll(async () => (await world.view(caller)).cards[0]?.last4).toBe(ASKS_ONCE.slice(-4));
    const [card] = (await world.view(caller)).cards;
    const { body } = await caller.post("top-up", { amount: 20, card_id: card?.id }, { "idempotency-key": "k1" });
    expect((await caller.post("confirm", { payment_id: body.payment_id })).body).toMatchObject({ status: "paid" });
    // The same customer from then on.
    expect((await caller.post("top-up", { amount: 20, keep_card: true })).status).toBe(200);
    const { rows: now } =
      await sql<any>`select provider_customer_id as id from stripe_customer where customer_id = ${caller.id}`.execute(
        world.database.handle.db,
      );
    expect(now[0].id).not.toBe(rows[0].id);
  });

  test("is refused if three are already saved", async () => {
    const caller = await world.service.signUp();
    for (const number of [PAYS, ASKS_ONCE, SAVES_THEN_FAILS]) await world.save(caller, number);
    const { status, body } = await caller.post("cards", {});
    expect([status, body.message]).toEqual([409, "You can save 3 cards. Remove one first."]);
  });
});

describe("the settings", () => {
  test.each([
    [{ threshold: "0.99" }, "threshold", "Enter $1.00 to $50.00"],
    [{ threshold: "abc" }, "threshold", "Enter an amount in dollars, for example 10 or 12.50"],
    [{ amount: "4.99" }, "amount", "Enter $5.00 to $100.00"],
    [{ amount: "100.01" }, "amount", "Enter $5.00 to $100.00"],
    [{ amount: "1e1" }, "amount", "Enter an amount in dollars, for example 10 or 12.50"],
    [{ threshold: "30", amount: "20" }, "amount", "Top up by $30.00 or more."],
    [{ agreed: false }, "agreed", "Please agree that your card may be charged."],
  ])("%j is refused at its field and changes nothing", async (change, field, message) => {
    const caller = await world.service.signUp();
    const cardId = await world.save(caller, PAYS);
    const { status, body } = await caller.send("PUT", "auto-top-up", choice(cardId, change));
    expect([status, body.errors[field]]).toEqual([422, [message]]);
    expect((await world.view(caller)).settings.on).toBe(false);
  });

  test("refuse a card that has expired, until its bank renews it", async () => {
    const caller = await world.service.signUp();
    const cardId = await world.save(caller, PAYS);
    const expire = (year: number) =>
      sql`update saved_card set exp_year = ${year} where id = ${cardId}`.execute(world.database.handle.db);
    await expire(2025);
    const { status, body } = await caller.send("PUT", "auto-top-up", choice(cardId));
    expect([status, body.message]).toEqual([409, "This card has expired. Choose or save another."]);
    expect((await world.view(caller)).settings.on).toBe(false);
    await expire(2034);
    expect((await caller.send("PUT", "auto-top-up", choice(cardId))).status).toBe(200);
  });

  test("require the customer's own card", async () => {
    const caller = await world.service.signUp();
    const foreign = await world.save(await world.service.signUp(), PAYS);
    expect((await caller.send("PUT", "auto-top-up", choice(foreign))).status).toBe(404);
  });
});

test("a card refused by the bank is not saved", async () => {
  const caller = await world.service.signUp();
  const { body } = await caller.post("cards", {});
  expect(await world.enterCard(body.checkout_url, NO_MONEY)).toBe("");
  expect((await world.view(caller)).cards).toEqual([]);
});
