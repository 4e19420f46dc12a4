import type { TermName } from "@farline/domain/business/customer-terms.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readCustomer } from "../timeline/read-customer.ts";
import { asOperator } from "../../test/test-context.ts";
import { BillingWorld } from "../../test/worlds/billing-world.ts";
import { createCallWorld, type CallWorld } from "../../test/worlds/call-world.ts";
import { confirm, operate } from "../../test/operate.ts";

let world: CallWorld;
let billing: BillingWorld;
beforeAll(async () => {
  [world, billing] = await Promise.all([createCallWorld({ limitsScale: 1 }), BillingWorld.start({ limitsScale: 1 })]);
});
afterAll(async () => {
  await Promise.all([world.close(), billing.close()]);
});

const set = (customer: { id: string }, name: string, value: string, { operator = "bob", days = 30 } = {}) =>
  operate(asOperator(world.ctx, operator), "set-term", {
    customer: customer.id,
    name: name as TermName,
    value,
    until: new Date(world.clock.now().getTime() + days * DAY_MS).toISOString(),
    reason: "They called",
  });
const read = (customer: { id: string }) => readCustomer(asOperator(world.ctx, "eve"), { customer: customer.id });

test("a lowered limit refuses the next call, and its end allows it again", async () => {
  const customer = await world.customer({ tier: "known" });
  await set(customer, "spend-per-day", "0", { operator: "eve", days: 1 });
  await expect(world.initiate(customer)).rejects.toThrow();
  expect((await read(customer)).terms).toContainEqual({
    name: "spend-per-day",
    value: "$0.00",
    set: { until: expect.any(String), by: "eve", reason: "They called" },
  });
  await expect(set(customer, "spend-per-day", "earned", { operator: "eve" })).rejects.toMatchObject({ code: "forbidden" });
  await set(customer, "spend-per-day", "earned");
  await world.initiate(customer);
});

test("a tier is set for a while, is shown beside the earned one, and returns by itself", async () => {
  const customer = await world.customer({ tier: "new" });
  await expect(set(customer, "tier", "trusted", { operator: "eve" })).rejects.toMatchObject({ code: "forbidden" });
  // So much more spending a day than a new customer has earned needs a second operator.
  await expect(set(customer, "tier", "trusted", { days: 2 })).rejects.toThrow("one operator may still move $100.00 alone");
  await confirm(asOperator(world.ctx, "ana"));
  expect((await read(customer)).tier).toMatchObject({ name: "trusted", earned: "new" });
  expect((await read(customer)).terms).toContainEqual(expect.objectContaining({ name: "live-calls", value: "2" }));
  world.clock.advance(3 * DAY_MS);
  expect((await read(customer)).tier).toMatchObject({ name: "new", earned: "new" });
});

test("support shortens and lowers, but prolongs nothing and fixes nothing that is earned", async () => {
  const eve = { operator: "eve" };
  const refused = { code: "forbidden" };
  const customer = await world.customer({ tier: "known" });
  await expect(set(customer, "tier", "known", eve)).rejects.toMatchObject(refused);
  await set(customer, "tier", "trusted", { days: 1 });
  await expect(set(customer, "tier", "trusted", { ...eve, days: 365 })).rejects.toMatchObject(refused);
  await expect(set(customer, "tier", "known", { ...eve, days: 365 })).rejects.toMatchObject(refused);
  await set(customer, "tier", "known", { ...eve, days: 1 });
  await set(customer, "tier", "new", { ...eve, days: 365 });
  await expect(set(customer, "tier", "new", { ...eve, days: 1 })).rejects.toMatchObject(refused);
  const other = await world.customer({ tier: "new" });
  await set(other, "tier", "known", { days: 1 });
  // Below the tier that is set for a day, above the one that is earned.
  await expect(set(other, "spend-per-day", "50", { ...eve, days: 365 })).rejects.toMatchObject(refused);
  await set(other, "spend-per-day", "20", { ...eve, days: 365 });
  await set(customer, "spend-per-day", "50", { days: 1 });
  await expect(set(customer, "spend-per-day", "50", { ...eve, days: 2 })).rejects.toMatchObject(refused);
});

test.each([
  ["an unknown name", "minutes", "5", 30],
  ["a tier that does not exist", "tier", "gold", 30],
  ["a value out of bounds", "live-calls", "1000", 30],
  ["an end in the past", "live-calls", "1", -1],
  ["an end after more than a year", "live-calls", "1", 400],
])("%s is refused", async (_, name, value, days) => {
  await expect(set(await world.customer(), name, value, { days })).rejects.toMatchObject({ code: "validation_failed" });
});

test("more for a frozen account needs a second operator, less does not", async () => {
  const customer = await world.customer({ tier: "known" });
  await operate(asOperator(world.ctx, "eve"), "freeze", { customer: customer.id, because: "review", reason: "Odd" });
  await set(customer, "live-calls", "1");
  await expect(set(customer, "live-calls", "3")).rejects.toMatchObject({ code: "conflict" });
  await confirm(asOperator(world.ctx, "ana"));
  expect((await read(customer)).terms).toContainEqual(
    expect.objectContaining({ name: "live-calls", value: "3", set: expect.objectContaining({ by: "ana" }) }),
  );
});

test("what a raise lets a customer spend counts with everything else that reaches them", async () => {
  const customer = await world.customer({ tier: "new" });
  await set(customer, "spend-per-day", "100");
  await expect(
    operate(asOperator(world.ctx, "ana"), "adjust", { customer: customer.id, amount: 40_000_000n, reason: "Sorry" }),
  ).rejects.toThrow("more than your limit without approval");
  await operate(asOperator(world.ctx, "ana"), "adjust", { customer: customer.id, amount: 30_000_000n, reason: "Sorry" });
  await expect(set(customer, "top-up-per-day", "101")).rejects.toThrow("one operator may still move $0.00 alone");
});

test("a limit on top-ups takes effect with the next top-up", async () => {
  const payer = await billing.service.signUp();
  const { ctx } = billing.service;
  const until = new Date(ctx.clock.now().getTime() + DAY_MS).toISOString();
  const change = (value: string) =>
    operate(asOperator(ctx, "bob"), "set-term", {
      customer: payer.id,
      name: "top-up-per-day",
      value,
      until,
      reason: "They called",
    });
  await change("10");
  expect(await payer.post("top-up", { amount: 20 })).toMatchObject({ status: 429, body: { code: "top_up_limit_reached" } });
  await change("150");
  expect((await payer.post("top-up", { amount: 20 })).status).toBe(200);
});
