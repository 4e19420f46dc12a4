import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { AutoTopUpWorld, PAYS } from "../../../test/worlds/auto-top-up-world.ts";

/** The provider's account may not charge: it was restricted, or lacks a document. No customer and no card is at fault. */

/** Longer than a charge is tried. */
const LONG_MS = 11 * 60_000;

let world: AutoTopUpWorld;
beforeAll(async () => {
  world = await AutoTopUpWorld.start();
});
afterEach(() => world.calm());
afterAll(() => world.close());

test("an automatic top-up blames no card, and succeeds once the account may charge", async () => {
  const caller = await world.withCard(PAYS);
  await world.spend(caller, 5);
  await world.chaos({ restricted: 100 });
  for (const _ of [1, 2, 3]) {
    await world.service.runJob("watch-credit");
    world.service.clock.advance(LONG_MS);
    await world.service.poll();
  }
  expect(new Set((await world.charges(caller)).map(({ status }) => status))).toEqual(new Set(["expired"]));
  expect(await world.mails(caller)).toEqual([]);
  await world.chaos({ restricted: 0 });
  await world.service.runJob("watch-credit");
  world.service.clock.advance(-3 * LONG_MS);
  expect(await world.booked(caller)).toBe(21);
  expect(await world.chargedAtProvider(caller)).toBe(2_000);
});

test("a payment with a saved card is not refused as the card's fault", async () => {
  const caller = await world.service.signUp();
  const cardId = await world.save(caller, PAYS);
  await world.chaos({ restricted: 100 });
  const { body } = await caller.post("top-up", { amount: 10, card_id: cardId }, { "idempotency-key": "restricted" });
  expect((await caller.post("confirm", { payment_id: body.payment_id })).body).toMatchObject({ status: "open", problem: null });
  await world.chaos({ restricted: 0 });
  world.service.clock.advance(31_000);
  await world.service.poll();
  expect((await caller.post("confirm", { payment_id: body.payment_id })).body).toMatchObject({ status: "paid", problem: null });
});

test("operators are told that payments fail", async () => {
  const { uses } = world.service.ctx;
  const caller = await world.service.signUp();
  await world.chaos({ restricted: 100 });
  for (let count = 0; count < 5; count += 1) expect((await caller.post("top-up", { amount: 10 })).status).toBe(503);
  expect(uses.summary("payments")).toMatchObject({ failure: "It refuses our requests (status 400)." });
  await world.chaos({ restricted: 0 });
  for (let count = 0; count < 6; count += 1) await caller.post("top-up", { amount: 10 });
  expect(uses.summary("payments").failure).toBeNull();
});
