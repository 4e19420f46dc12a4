import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import { solveChallenge } from "../../../test/fakes/solve-challenge.ts";

let world: BillingWorld;
let caller: BillingClient;
beforeEach(async () => {
  world = await BillingWorld.start({ limitsScale: 1, live: true });
  caller = await world.service.signUp();
});
afterEach(() => world.close());

test("a new payer may top up $100 a day; an abandoned checkout does not count and is closed", async () => {
  const left = await caller.post("top-up", { amount: 100 });
  await world.paid(caller, { amount: 60 });
  expect(world.stripe.session(left.body.session_id).status).toBe("expired");
  const second = await caller.post("top-up", { amount: 50 });
  expect([second.status, second.body.message]).toEqual([
    429,
    "You can top up at most $100.00 in 24 hours. Now you can add up to $40.00.",
  ]);
  await world.paid(caller, { amount: 40 });
  expect(await world.money(caller)).toMatchObject({ balance: 100 });
});

test("a checkout paid while being closed is credited and counts", async () => {
  const first = await caller.post("top-up", { amount: 100 });
  world.stripe.pay(first.body.session_id);
  expect((await caller.post("top-up", { amount: 20 })).status).toBe(429);
  expect(await world.money(caller)).toMatchObject({ balance: 100 });
});

test("a new payer's charge requests 3-D Secure, even if the request is repeated", async () => {
  const { body } = await caller.post("top-up", { amount: 10 }, { "idempotency-key": "k" });
  const parameter = "payment_method_options[card][request_three_d_secure]";
  expect(world.stripe.session(body.session_id).params[parameter]).toBe("challenge");
});

test("three different declined cards block payments for any order and repetition of their events", async () => {
  const { body } = await caller.post("top-up", { amount: 10 });
  const at = Math.floor(world.service.clock.now().getTime() / 1000);
  const { intent } = world.stripe.session(body.session_id);
  for (const card of ["a", "b", "c"]) {
    world.stripe.decline(body.session_id, card, at);
    await world.hear("payment_intent.payment_failed", { id: intent.id });
    await world.hear("payment_intent.payment_failed", { id: intent.id });
  }
  const challenged = await caller.post("top-up", { amount: 10 });
  const next = await caller.post("top-up", { amount: 10, proof: solveChallenge(challenged.body.challenge) });
  expect([next.status, next.body.code]).toEqual([429, "payments_declined"]);
  expect(next.body.message).toBe("Too many payments were declined. Try again tomorrow.");
  const { rows } = await sql<any>`select count(*)::int as count from payment_failure`.execute(world.database.handle.db);
  expect(rows).toEqual([{ count: 3 }]);
});

test("after three declined charges each checkout requires a proof of work", async () => {
  const { body } = await caller.post("top-up", { amount: 10 });
  const at = Math.floor(world.service.clock.now().getTime() / 1000);
  const { intent } = world.stripe.session(body.session_id);
  const decline = async (times: number) => {
    for (let n = 0; n < times; n++) world.stripe.decline(body.session_id, "one card", at);
    await world.hear("payment_intent.payment_failed", { id: intent.id });
  };
  await decline(2);
  expect((await caller.post("top-up", { amount: 11 })).status).toBe(200);
  await decline(1);
  const challenged = await caller.post("top-up", { amount: 12 });
  expect([challenged.status, challenged.body.code]).toEqual([403, "challenge_required"]);
  const proof = solveChallenge(challenged.body.challenge);
  expect((await caller.post("top-up", { amount: 12, proof })).status).toBe(200);
  expect((await caller.post("top-up", { amount: 13, proof })).status).toBe(403);
  expect((await caller.post("purchase-package", { package_id: "5" })).body.code).toBe("challenge_required");
  world.service.clock.advance(DAY_MS + 1000);
  expect((await caller.post("top-up", { amount: 12 })).status).toBe(200);
});

test("a card that was declined for other accounts freezes no account", async () => {
  for (let n = 0; n < 2; n++) {
    const stranger = await world.service.signUp();
    const { body } = await stranger.post("top-up", { amount: 10 });
    world.stripe.decline(body.session_id, "one card");
    world.stripe.session(body.session_id).status = "complete";
    await world.hear("checkout.session.async_payment_failed", { id: body.session_id });
    expect((await stranger.post("confirm", { session_id: body.session_id })).body.status).toBe("failed");
  }
  await world.paid(caller, { amount: 10 }, "one card");
  expect([await world.statusOf(caller), await world.money(caller)]).toMatchObject(["active", { balance: 10 }]);
});

test("a card that pays for a third account freezes only the third account", async () => {
  const people = [caller, await world.service.signUp(), await world.service.signUp()];
  for (const person of people) await world.paid(person, { amount: 10 }, "one card");
  expect(await Promise.all(people.map((person) => world.statusOf(person)))).toEqual(["active", "active", "frozen"]);
});
