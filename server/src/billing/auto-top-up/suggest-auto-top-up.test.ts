import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";

let world: BillingWorld;
let caller: BillingClient;
beforeEach(async () => {
  world = await BillingWorld.start();
  caller = await world.service.signUp();
});
afterEach(() => world.close());

async function suggestsAfterPaying(amount: number): Promise<boolean> {
  const { sessionId } = await world.paid(caller, { amount });
  const { body } = await caller.post("confirm", { session_id: sessionId });
  return body.suggests_auto_top_up;
}

test("automatic top-ups are suggested once: after the second payment that found little credit, the first one not counted", async () => {
  expect(await suggestsAfterPaying(10)).toBe(false);
  await world.spend(caller, 5);
  expect(await suggestsAfterPaying(10)).toBe(false); // $5.00 was left, which is not below the threshold
  await world.spend(caller, 10.01);
  expect(await suggestsAfterPaying(10)).toBe(false);
  await world.spend(caller, 12);
  expect(await suggestsAfterPaying(10)).toBe(true);
  await world.spend(caller, 11);
  expect(await suggestsAfterPaying(10)).toBe(false);
});

test("they are not suggested to a customer who has had them", async () => {
  for (let i = 0; i < 2; i++) {
    await suggestsAfterPaying(10);
    await world.spend(caller, 9);
  }
  await sql`insert into auto_top_up (customer_id, is_on, threshold_micros, amount_micros, agreed_at, updated_at) values (${caller.id}, false, 5000000, 20000000, now(), now())`.execute(
    world.database.handle.db,
  );
  expect(await suggestsAfterPaying(10)).toBe(false);
});

test("the page of a payment that was not paid suggests nothing", async () => {
  const { body } = await caller.post("top-up", { amount: 10 });
  const answer = await caller.post("confirm", { session_id: body.session_id });
  expect(answer.body).toMatchObject({ status: "open", suggests_auto_top_up: false });
});
