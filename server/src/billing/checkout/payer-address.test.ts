import { afterAll, beforeAll, expect, test } from "vitest";
import { AutoTopUpWorld, PAYS } from "../../../test/worlds/auto-top-up-world.ts";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";

/** Mail servers accept it, and so do we; the payment provider does not. */
const ADDRESS = "zoë@example.com";

let world: AutoTopUpWorld;
beforeAll(async () => {
  world = await AutoTopUpWorld.start();
});
afterAll(() => world.close());

const signUp = (): Promise<BillingClient> => world.service.signUp({ email: ADDRESS });
const customerAtProvider = async (id: unknown) => world.service.ctx.stripe.customers.retrieve(String(id));

test("a payer whose address the provider refuses gets a checkout, which asks for one", async () => {
  const caller = await signUp();
  const first = await caller.post("top-up", { amount: 20 }, { "idempotency-key": "once" });
  expect(first.status).toBe(200);
  const session = await world.service.ctx.stripe.checkout.sessions.retrieve(first.body.session_id);
  expect(session).toMatchObject({ customer_email: null, amount_total: 2_000 });
  const again = await caller.post("top-up", { amount: 20 }, { "idempotency-key": "once" });
  expect(again.body).toEqual(first.body);
});

test("their card can be saved with a payment or alone, and is charged", async () => {
  const caller = await signUp();
  const { status, body } = await caller.post("top-up", { amount: 20, keep_card: true });
  expect(status).toBe(200);
  const { customer } = await world.service.ctx.stripe.checkout.sessions.retrieve(body.session_id);
  expect(await customerAtProvider(customer)).toMatchObject({ email: null, metadata: { customer_id: caller.id } });
  const cardId = await world.save(caller, PAYS);
  await caller.post("top-up", { amount: 20, card_id: cardId }, { "idempotency-key": "kept" });
  await expect.poll(() => world.booked(caller)).toBe(20);
});
