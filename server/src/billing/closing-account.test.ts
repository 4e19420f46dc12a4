import { afterEach, beforeEach, expect, test } from "vitest";
import type { BillingClient } from "../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../test/worlds/billing-world.ts";

let world: BillingWorld;
let caller: BillingClient;
beforeEach(async () => {
  world = await BillingWorld.start();
  caller = await world.service.signUp({ status: "closing" });
});
afterEach(() => world.close());

test("a closing account can neither pay nor save a card", async () => {
  const order = { threshold: "5", amount: "10", is_on: true, card_id: null };
  const answers = await Promise.all([
    caller.post("top-up", { amount: 20 }),
    caller.post("purchase-package", { package_id: "20" }),
    caller.post("cards", {}),
    caller.send("PUT", "auto-top-up", order),
  ]);
  expect(answers.slice(0, 3).map(({ body }) => body.code)).toEqual(Array(3).fill("account_closing"));
  expect(answers[3]?.status).toBeGreaterThanOrEqual(400);
  expect(world.stripe.sessions.size).toBe(0);
});

test("a closing account can still withdraw its credit", async () => {
  expect((await caller.get("withdrawals")).status).toBe(200);
  expect((await caller.post("withdrawals", { amount: 5 })).body).toMatchObject({
    code: "amount_invalid",
    message: "There is no credit that can be withdrawn",
  });
});
