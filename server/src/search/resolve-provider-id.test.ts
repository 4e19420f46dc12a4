import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { asOperator } from "../../test/test-context.ts";
import type { BillingClient } from "../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../test/worlds/billing-world.ts";
import { searchEverything } from "./search.ts";

let world: BillingWorld;
let caller: BillingClient;
let paid: { paymentId: string; sessionId: string; intentId: string };
beforeEach(async () => {
  world = await BillingWorld.start();
  caller = await world.service.signUp();
  paid = await world.paid(caller, { amount: 20 });
});
afterEach(() => world.close());

const find = (id: string) => searchEverything(asOperator(world.service.ctx, "grace"), id);

test("each id that the provider shows of a payment leads to it, with one question at most", async () => {
  world.stripe.refundTo(paid.sessionId, 500);
  const { charges, refunds } = world.stripe.session(paid.sessionId);
  const movement = world.stripe.balance.movements[0];
  const event = world.stripe.events.find(({ type }) => type === "refund.created");
  for (const id of [paid.intentId, paid.sessionId, charges[0]?.id, refunds[0]?.id, movement?.id, event?.id]) {
    const before = world.stripe.requests;
    const { understood, hits, note } = await find(id ?? "");
    expect([id, understood, hits.map((hit) => hit.id), note]).toEqual([id, "provider_id", [paid.paymentId], null]);
    expect(world.stripe.requests - before).toBe(id === paid.intentId || id === paid.sessionId ? 0 : 1);
  }
});

test("an id that leads nowhere says what it is and where to look", async () => {
  const fee = world.stripe.balance.move("fee", -100);
  const other = world.stripe.balance.move("charge", 700, { intent: "pi_of_another_shop" });
  expect(await find("po_1")).toMatchObject({
    hits: [],
    note: "This payout belongs to no customer. See the month's report of the payment provider.",
  });
  expect((await find(fee.id)).note).toMatch(/movement of the balance belongs to no customer/);
  expect((await find(other.id)).hits).toEqual([]);
  expect((await find("ch_unknown")).note).toBe("The payment provider knows no charge with this id.");
  expect((await find("cus_unknown")).note).toBe("No customer with this id is known here.");
});

test("a provider that is away, or a key that may not read it, is named", async () => {
  world.stripe.failNext = 1;
  expect((await find("ch_1")).note).toMatch(/did not answer/);
  world.stripe.refuses = { path: "/v1/charges", message: "The provided key does not have the permission rak_charge_read." };
  expect((await find("ch_1")).note).toMatch(/may not read this charge\. It lacks rak_charge_read/);
});

test("the record holds the id, not a part of an address", async () => {
  await find("ch_unknown");
  const { rows } = await sql<any>`select detail from operation where action = 'search'`.execute(world.database.handle.db);
  expect(rows[0].detail).toMatchObject({ kind: "provider_id", text: "ch_unknown", found: 0 });
});
