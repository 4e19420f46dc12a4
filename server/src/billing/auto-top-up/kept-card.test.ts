import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";
import { ASKS_ALWAYS, ASKS_ONCE, AutoTopUpWorld, PAYS, SAVES_THEN_FAILS } from "../../../test/worlds/auto-top-up-world.ts";

/** Longer than an authentication stays open. Tests reset the clock afterwards, because events with a large clock skew are refused. */
const LONG_MS = 11 * 60_000;

let world: AutoTopUpWorld;
beforeAll(async () => {
  world = await AutoTopUpWorld.start();
});
afterEach(() => world.calm());
afterAll(() => world.close());

/** Pays with a kept card. */
function payWith(
  caller: BillingClient,
  cardId: string,
  { amount = 10, key = crypto.randomUUID(), overrides = {} }: { amount?: number; key?: string; overrides?: object } = {},
) {
  return caller.post("top-up", { amount, card_id: cardId, ...overrides }, { "idempotency-key": key });
}

async function answerBank(page: string, answer: "complete" | "fail"): Promise<string> {
  const body = new URLSearchParams({ answer });
  return (await fetch(page, { method: "POST", body, redirect: "manual" })).headers.get("location") ?? "";
}

async function outcome(caller: BillingClient, paymentId: string) {
  return (await caller.post("confirm", { payment_id: paymentId })).body;
}

async function storedCards(caller: BillingClient): Promise<object[]> {
  const { rows } =
    await sql<any>`select last4, exp_month, exp_year, authenticated, fingerprint is not null as known from saved_card where customer_id = ${caller.id}`.execute(
      world.database.handle.db,
    );
  return rows;
}

describe("a card saved at the checkout", () => {
  test.each([
    [PAYS, false],
    [ASKS_ONCE, true],
  ])("%s is stored with the payment, authenticated: %s", async (number, authenticated) => {
    const caller = await world.service.signUp();
    const { body } = await caller.post("top-up", { amount: 12, keep_card: true });
    expect(await world.enterCard(body.checkout_url, number)).toContain("/billing/success?session_id=");
    expect(await outcomeOfCheckout(caller, body.session_id)).toMatchObject({ status: "paid", balance: "12.00", problem: null });
    expect(await storedCards(caller)).toEqual([
      { last4: number.slice(-4), exp_month: 12, exp_year: 2034, authenticated, known: true },
    ]);
    expect((await world.view(caller)).cards).toMatchObject([{ last4: number.slice(-4), brand: "visa" }]);
  });

  test("is not stored without consent or payment", async () => {
    const caller = await world.service.signUp();
    const once = await caller.post("top-up", { amount: 12 });
    await world.enterCard(once.body.checkout_url, PAYS);
    expect(await outcomeOfCheckout(caller, once.body.session_id)).toMatchObject({ status: "paid" });
    const declined = await caller.post("top-up", { amount: 12, keep_card: true });
    expect(await world.enterCard(declined.body.checkout_url, SAVES_THEN_FAILS)).toBe("");
    expect(await outcomeOfCheckout(caller, declined.body.session_id)).toMatchObject({ status: "open", problem: "declined" });
    expect((await world.view(caller)).cards).toEqual([]);
  });

  test("is not stored if the owner recovered the account meanwhile, because it may be a stranger's", async () => {
    const caller = await world.service.signUp();
    const { body } = await caller.post("top-up", { amount: 12, keep_card: true });
    await sql`update customer set password_reset_at = ${world.service.clock.now()} where id = ${caller.id}`.execute(
      world.database.handle.db,
    );
    await world.enterCard(body.checkout_url, PAYS);
    expect(await outcomeOfCheckout(caller, body.session_id)).toMatchObject({ status: "paid", balance: "12.00" });
    expect((await world.view(caller)).cards).toEqual([]);
  });

  test("is asked for by no request whose session ended meanwhile, nor is a stored one charged", async () => {
    const caller = await world.service.signUp();
    const cardId = await world.save(caller, PAYS);
    await sql`delete from session where customer_id = ${caller.id}`.execute(world.database.handle.db);
    const late = [
      await caller.post("top-up", { amount: 12, keep_card: true }),
      await payWith(caller, cardId),
      await caller.post("cards", {}),
    ];
    expect(late.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(await world.chargedAtProvider(caller)).toBe(0);
  });

  test("is stored once over repeated convergence, and stays removed once removed", async () => {
    const caller = await world.service.signUp();
    const { body } = await caller.post("top-up", { amount: 12, keep_card: true });
    await world.enterCard(body.checkout_url, PAYS);
    await Promise.all([1, 2, 3, 4].map(() => outcomeOfCheckout(caller, body.session_id)));
    const [card] = (await world.view(caller)).cards;
    await caller.send("DELETE", `cards/${card?.id}`);
    await outcomeOfCheckout(caller, body.session_id);
    await world.service.poll();
    expect((await world.view(caller)).cards).toEqual([]);
    expect(await world.booked(caller)).toBe(12);
  });

  test("is refused if three cards are already saved", async () => {
    const caller = await world.service.signUp();
    for (const number of [PAYS, ASKS_ONCE, SAVES_THEN_FAILS]) await world.save(caller, number);
    const { status, body } = await caller.post("top-up", { amount: 12, keep_card: true });
    expect([status, body.message]).toEqual([409, "You can save 3 cards. Remove one first."]);
  });

  test("saved without a payment counts as confirmed only after authentication", async () => {
    for (const [number, authenticated] of [
      [PAYS, false],
      [ASKS_ONCE, true],
    ] as const) {
      const caller = await world.service.signUp();
      await world.save(caller, number);
      expect(await storedCards(caller)).toMatchObject([{ authenticated }]);
    }
  });
});

describe("a payment with a saved card", () => {
  test("is credited once, even if Pay is pressed repeatedly", async () => {
    const caller = await world.service.signUp();
    const cardId = await world.save(caller, PAYS);
    const key = crypto.randomUUID();
    const answers = await Promise.all([1, 2, 3].map(() => payWith(caller, cardId, { key })));
    answers.push(await payWith(caller, cardId, { key }));
    const [first] = answers;
    const page = `https://farline.example/billing/success?payment_id=${first?.body.payment_id}`;
    for (const { status, body } of answers) expect([status, body.session_id, body.checkout_url]).toEqual([200, null, page]);
    await expect
      .poll(() => outcome(caller, first?.body.payment_id))
      .toMatchObject({ status: "paid", amount: "10.00", balance: "10.00" });
    expect(await world.chargedAtProvider(caller)).toBe(1_000);
    const { body } = await caller.get("transactions");
    expect(body.transactions.data).toMatchObject([{ kind: "top_up", status: "completed", about: null }]);
  });

  test("is credited after authentication if the bank requires it", async () => {
    const caller = await world.service.signUp();
    const cardId = await world.save(caller, ASKS_ALWAYS);
    const key = crypto.randomUUID();
    const { body } = await payWith(caller, cardId, { key });
    expect(body.checkout_url).toContain("/challenge/pi_");
    expect(await outcome(caller, body.payment_id)).toMatchObject({ status: "open", problem: null });
    expect((await payWith(caller, cardId, { key })).body.checkout_url).toBe(body.checkout_url);
    expect(await answerBank(body.checkout_url, "complete")).toContain(`/billing/success?payment_id=${body.payment_id}`);
    expect(await outcome(caller, body.payment_id)).toMatchObject({ status: "paid", balance: "10.00" });
    expect((await payWith(caller, cardId, { key })).body.checkout_url).toContain("/billing/success");
    expect(await world.chargedAtProvider(caller)).toBe(1_000);
  });

  test("is not credited if authentication fails", async () => {
    const caller = await world.service.signUp();
    const { body } = await payWith(caller, await world.save(caller, ASKS_ALWAYS));
    await answerBank(body.checkout_url, "fail");
    expect(await outcome(caller, body.payment_id)).toMatchObject({ status: "failed", problem: "not_confirmed", balance: "0.00" });
  });

  test("that fails neither counts as a failed automatic charge nor sends a mail, because the page reports it", async () => {
    const caller = await world.withCard(ASKS_ALWAYS);
    const [card] = (await world.view(caller)).cards;
    const { body } = await payWith(caller, card?.id ?? "");
    await answerBank(body.checkout_url, "fail");
    expect(await outcome(caller, body.payment_id)).toMatchObject({ status: "failed", problem: "not_confirmed" });
    const { rows } = await sql<any>`select is_on, failures from auto_top_up where customer_id = ${caller.id}`.execute(
      world.database.handle.db,
    );
    expect(rows).toEqual([{ is_on: true, failures: 0 }]);
    expect(await world.mails(caller)).toEqual([]);
  });

  test("expires without authentication and can no longer be confirmed", async () => {
    const caller = await world.service.signUp();
    const { body } = await payWith(caller, await world.save(caller, ASKS_ALWAYS));
    world.service.clock.advance(2 * LONG_MS);
    await world.service.poll();
    world.service.clock.advance(-2 * LONG_MS);
    expect(await outcome(caller, body.payment_id)).toMatchObject({ status: "failed", problem: "not_finished" });
    await answerBank(body.checkout_url, "complete");
    expect(await outcome(caller, body.payment_id)).toMatchObject({ status: "failed", balance: "0.00" });
  });

  test("reports a decline and makes the next attempt a new payment", async () => {
    const caller = await world.service.signUp();
    const cardId = await world.save(caller, SAVES_THEN_FAILS);
    const { body } = await payWith(caller, cardId);
    expect(await outcome(caller, body.payment_id)).toMatchObject({ status: "failed", problem: "declined", balance: "0.00" });
    const again = await payWith(caller, cardId);
    expect(again.body.payment_id).not.toBe(body.payment_id);
    const { rows } =
      await sql<any>`select count(*)::int as declines from payment_failure where customer_id = ${caller.id}`.execute(
        world.database.handle.db,
      );
    expect(rows[0].declines).toBe(2);
  });

  test("whose response was lost is completed with the same charge", async () => {
    const caller = await world.service.signUp();
    const cardId = await world.save(caller, PAYS);
    await world.chaos({ dropAnswers: 100, lose: true });
    const { body } = await payWith(caller, cardId);
    await world.chaos({ dropAnswers: 0, lose: true });
    world.service.clock.advance(31_000);
    await world.service.poll();
    world.service.clock.advance(-31_000);
    expect(await outcome(caller, body.payment_id)).toMatchObject({ status: "paid", balance: "10.00" });
    expect(await world.chargedAtProvider(caller)).toBe(1_000);
  });

  test.each([
    ["another amount", { amount: 11 }, 409],
    ["a request to save the same card", { overrides: { card_id: undefined, keep_card: true } }, 409],
  ])("repeated with %s is refused", async (_, change, status) => {
    const caller = await world.service.signUp();
    const cardId = await world.save(caller, PAYS);
    const key = crypto.randomUUID();
    await payWith(caller, cardId, { key });
    expect((await payWith(caller, cardId, { key, ...change })).status).toBe(status);
    expect(await world.chargedAtProvider(caller)).toBe(1_000);
  });

  test("requires one of the customer's own cards and an Idempotency-Key", async () => {
    const caller = await world.service.signUp();
    const cardId = await world.save(caller, PAYS);
    const stranger = await world.service.signUp();
    expect((await payWith(stranger, cardId)).status).toBe(404);
    const { status, body } = await caller.post("top-up", { amount: 10, card_id: cardId });
    expect([status, body.message]).toEqual([400, "A payment with a saved card needs an Idempotency-Key."]);
    await caller.send("DELETE", `cards/${cardId}`);
    expect((await payWith(caller, cardId)).status).toBe(404);
    expect(await world.booked(caller)).toBe(0);
  });

  test("of another customer is not found", async () => {
    const caller = await world.service.signUp();
    const { body } = await payWith(caller, await world.save(caller, PAYS));
    const stranger = await world.service.signUp();
    expect((await stranger.post("confirm", { payment_id: body.payment_id })).status).toBe(404);
  });
});

/** Confirms a checkout like the success page. */
async function outcomeOfCheckout(caller: BillingClient, sessionId: string) {
  return (await caller.post("confirm", { session_id: sessionId })).body;
}
