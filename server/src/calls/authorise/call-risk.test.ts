import { HOUR_MS } from "@farline/domain/durations.ts";
import { operate } from "../../../test/operate.ts";
import { sql } from "kysely";
import type { InitiateResponse } from "@farline/contract/calls.ts";
import type { ErrorBody } from "@farline/contract/errors.ts";
import { priceClassOf } from "@farline/domain/calls/call-terms.ts";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCallWorld, insertPaid, LONDON, type CallWorld, changePrices } from "../../../test/worlds/call-world.ts";
import { insertPastCalls } from "../../../test/past-calls.ts";
import { startRunningCall } from "../../../test/running-call.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { insertBreaker } from "../../risk/breaker.store.ts";
import { readBreakers } from "../../risk/risk.ts";
import { asOperator } from "../../../test/test-context.ts";

/** In the sample deck: $0.448, $0.868 and $2.21 a minute. The last one costs under $0.15, but is a range known for fraud. */
const GHANA = "+233241234567";
const SOMALIA = "+252612345678";
const TONGA = "+6768712345";
const DOMINICAN_REPUBLIC = "+18092201234";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld();
});
afterAll(() => world.close());
beforeEach(() => world.provider.calmDown());

const call = (customer: Customer, number: string) =>
  world.request<InitiateResponse & ErrorBody>(customer, {
    method: "POST",
    path: "/api/calls/initiate",
    body: { destination_number: number },
  });

async function expectRefused(customer: Customer, number: string, status: number, error: { code: string; message?: unknown }) {
  const before = await world.money(customer);
  expect(await call(customer, number)).toMatchObject({ status, body: error });
  expect((await world.money(customer)).heldMicros).toBe(before.heldMicros);
}

const held = async (customer: Customer) => Number((await world.money(customer)).heldMicros) / 1e6;

describe("destinations open to a tier", () => {
  test("are ordinary ones before the email address is verified, and expensive ones afterwards", async () => {
    const customer = await world.customer({ tier: "unverified" });
    await expectRefused(customer, GHANA, 403, {
      code: "email_not_confirmed",
      message: "Confirm your email address to call this destination. Your account page sends you the link.",
    });
    expect((await call(customer, LONDON)).status).toBe(201);
    expect((await call(await world.customer({ tier: "new" }), GHANA)).status).toBe(201);
  });

  test("include the most expensive ones for higher tiers, with a limit on the length", async () => {
    const rich = { creditMicros: 500_000_000n };
    await expectRefused(await world.customer({ tier: "unverified", ...rich }), SOMALIA, 403, { code: "destination_not_open" });
    await expectRefused(await world.customer({ tier: "new", ...rich }), SOMALIA, 403, { code: "destination_not_open" });
    await expectRefused(await world.customer({ tier: "known", ...rich }), TONGA, 403, { code: "destination_not_open" });
    const trusted = await world.customer({ tier: "trusted", ...rich });
    expect((await call(trusted, SOMALIA)).body.call.max_seconds).toBe(30 * 60);
    expect((await call(trusted, LONDON)).body.call.max_seconds).toBe(240 * 60);
    const known = await world.customer({ tier: "known", ...rich });
    expect((await call(known, LONDON)).body.call.max_seconds).toBe(120 * 60);
  });

  test("never include those above the highest allowed price", async () => {
    const customer = await world.customer({ tier: "trusted" });
    await changePrices(world, "rate_per_minute_micros = 2500001");
    await expectRefused(customer, LONDON, 403, { code: "destination_blocked" });
    await changePrices(world, "rate_per_minute_micros = 10000");
  });

  test("can be called one at a time, or two at a time by trusted customers", async () => {
    const known = await world.customer({ tier: "known" });
    expect((await call(known, LONDON)).status).toBe(201);
    await expectRefused(known, LONDON, 409, { code: "too_many_live_calls" });
    const trusted = await world.customer({ tier: "trusted", creditMicros: 50_000_000n });
    for (let n = 0; n < 2; n++) expect((await call(trusted, LONDON)).status).toBe(201);
    await expectRefused(trusted, LONDON, 409, { code: "too_many_live_calls" });
  });
});

describe("a tier's daily spending limit", () => {
  test("has a separate limit for class C that other calls do not use up", async () => {
    const customer = await world.customer({ tier: "known", creditMicros: 100_000_000n });
    await spentOn(customer, 20, 400_000n);
    await call(customer, SOMALIA);
    expect(await held(customer)).toBe(10);
    const other = await world.customer({ tier: "known", creditMicros: 100_000_000n });
    await spentOn(other, 9.99, 868_000n);
    await expectRefused(other, SOMALIA, 429, { code: "spend_limit_reached", message: expect.stringContaining("24 hours") });
  });

  test.each([
    ["new", 10],
    ["known", 30],
    ["trusted", 75],
  ] as const)("for %s customers is $%s above class A, class C included", async (tier, dollars) => {
    const customer = await world.customer({ tier, creditMicros: 200_000_000n });
    await spentOn(customer, dollars - 1, 700_000n);
    await call(customer, GHANA);
    expect(await held(customer)).toBe(1);
  });

  test.each([
    ["new", 30],
    ["known", 75],
    ["trusted", 150],
  ] as const)("for %s customers is $%s in total", async (tier, dollars) => {
    const customer = await world.customer({ tier, creditMicros: 500_000_000n });
    await spentOn(customer, dollars - 0.25, 10_000n);
    await call(customer, LONDON);
    expect(await held(customer)).toBe(0.25);
  });
});

describe("a listed high-risk range, even a cheap one", () => {
  test("counts as above class A and falls under that spending limit", async () => {
    const customer = await world.customer({ tier: "new", creditMicros: 100_000_000n });
    const { body } = await call(customer, DOMINICAN_REPUBLIC);
    expect(Number(body.call.rate_per_minute)).toBeLessThan(0.15);
    await world.request(customer, { method: "POST", path: `/api/calls/${body.call.id}/hangup` });
    const { rows } = await sql<any>`select price_class from call where id = ${body.call.id}`.execute(world.database.handle.db);
    expect(rows).toEqual([{ price_class: "B" }]);
    await spentOn(customer, 9, 100_000n, "B");
    await call(customer, DOMINICAN_REPUBLIC);
    expect(await held(customer)).toBe(1);
  });

  test("uses up the share of fresh credit available to expensive calls", async () => {
    const customer = await world.customer({ tier: "new", creditMicros: 16_000_000n });
    await insertPaid(world.database.handle.db, customer.id, { dollars: 20, at: world.clock.now() });
    await spentOn(customer, 4, 100_000n, "B");
    await call(customer, DOMINICAN_REPUBLIC);
    expect(await held(customer)).toBe(1);
  });
});

describe("credit of the last 24 hours", () => {
  /** Sets the old credit (negative: spent), and makes a payment today. */
  async function paidToday(tier: "new" | "known" | "trusted", old: number, fresh: number) {
    const customer = await world.customer({ tier, creditMicros: BigInt((old + fresh) * 1e6) });
    await insertPaid(world.database.handle.db, customer.id, { dollars: fresh, at: world.clock.now() });
    return customer;
  }

  test("a new customer may spend $5 of a payment on expensive calls, and all of it on ordinary ones", async () => {
    const customer = await paidToday("new", 0, 20);
    await call(customer, GHANA);
    expect(await held(customer)).toBe(5);
    const spent = await paidToday("new", -4.99, 20);
    await spentOn(spent, 4.99, 448_000n);
    await expectRefused(spent, GHANA, 403, { code: "fresh_credit", message: expect.stringContaining("after 24 hours") });
    expect((await call(spent, LONDON)).status).toBe(201);
  });

  test("may be spent on expensive calls a day later", async () => {
    const customer = await world.customer({ tier: "new", creditMicros: 20_000_000n });
    const yesterday = new Date(world.clock.now().getTime() - 24 * HOUR_MS);
    await insertPaid(world.database.handle.db, customer.id, { dollars: 20, at: yesterday });
    await call(customer, GHANA);
    expect(await held(customer)).toBe(8.96);
  });

  test("does not restrict older credit", async () => {
    const customer = await paidToday("new", 3, 20);
    await call(customer, GHANA);
    expect(await held(customer)).toBe(8);
  });

  test("may be spent on expensive calls by half for known customers, and in full for trusted ones", async () => {
    const known = await paidToday("known", 0, 20);
    await call(known, GHANA);
    expect(await held(known)).toBe(10);
    const trusted = await paidToday("trusted", 0, 20);
    await call(trusted, GHANA);
    expect(await held(trusted)).toBe(20);
  });

  test.each([
    { what: "all of it refunded", left: 10, bonus: 0, change: "refunded_micros = charge_micros", usable: 8.96 },
    { what: "half of it disputed", left: 13, bonus: 0, change: "disputed_micros = 10000000", usable: 8 },
    {
      what: "refunded together with its bonus",
      left: 10,
      bonus: 4,
      change: "refunded_micros = charge_micros, bonus_returned_micros = 4000000",
      usable: 8.96,
    },
  ])("counts only what remains of a payment: $what", async ({ left, bonus, change, usable }) => {
    const customer = await world.customer({ tier: "new", creditMicros: BigInt(left * 1e6) });
    const { db } = world.database.handle;
    await insertPaid(db, customer.id, { dollars: 20, at: world.clock.now() });
    await sql`update payment set bonus_micros = ${bonus * 1e6}, ${sql.raw(change)} where customer_id = ${customer.id}`.execute(
      db,
    );
    await call(customer, GHANA);
    expect(await held(customer)).toBe(usable);
  });

  test("is not increased by a payment that was returned", async () => {
    const customer = await paidToday("new", 0, 20);
    const { db } = world.database.handle;
    await insertPaid(db, customer.id, { dollars: 5, at: world.clock.now() });
    await sql`update payment set refunded_micros = charge_micros where customer_id = ${customer.id} and charge_micros = 5000000`.execute(
      db,
    );
    await call(customer, GHANA);
    expect(await held(customer)).toBe(5);
  });

  test("is shared by the classes, so class C cannot spend what class B has spent", async () => {
    const customer = await paidToday("known", -10, 20);
    await spentOn(customer, 7, 448_000n);
    await spentOn(customer, 3, 10_000n);
    await call(customer, SOMALIA);
    expect(await held(customer)).toBe(3);
    const spent = await paidToday("known", -10, 20);
    await spentOn(spent, 10, 448_000n);
    await expectRefused(spent, SOMALIA, 403, { code: "fresh_credit" });
  });

  test("extends a running expensive call only within the same limit", async () => {
    const customer = await world.customer({ tier: "new", creditMicros: 1_000_000n });
    const running = await startRunningCall(world, { customer, number: GHANA });
    const { db } = world.database.handle;
    await insertPaid(db, customer.id, { dollars: 20, at: world.clock.now() });
    await world.ctx.ledger.credit(db, {
      key: randomUUID(),
      customerId: customer.id,
      kind: "top_up",
      amountMicros: 20_000_000n,
      referenceId: randomUUID(),
      description: "Top-up",
    });
    await world.request(customer, { method: "POST", path: `/api/calls/${running.id}/extend` });
    expect(await held(customer)).toBe(6);
  });
});

test("a running call is extended within the limits of its customer's own tier", async () => {
  const customer = await world.customer({ tier: "trusted", creditMicros: 1_000_000n });
  const running = await startRunningCall(world, { customer, number: GHANA });
  await world.ctx.ledger.credit(world.database.handle.db, {
    key: randomUUID(),
    customerId: customer.id,
    kind: "adjustment",
    amountMicros: 20_000_000n,
    referenceId: randomUUID(),
    description: "Credit",
  });
  await world.request(customer, { method: "POST", path: `/api/calls/${running.id}/extend` });
  expect(await held(customer)).toBe(21);
});

describe("breakers", () => {
  const until = () => new Date(world.clock.now().getTime() + HOUR_MS);
  const open = (kind: "prefix" | "country" | "carrier_spend" | "spend_note", subject: string) =>
    insertBreaker(world.database.handle.db, { kind, subject, until: until(), inputs: {}, openedAt: world.clock.now() });

  test("refuse only the paused prefix or country, until the pause ends or an operator lifts it", async () => {
    const customer = await world.customer({ tier: "new" });
    await open("prefix", "23324");
    await open("country", "DE");
    const refused = await call(customer, GHANA);
    expect(refused).toMatchObject({ status: 503, headers: { "retry-after": "3600" } });
    expect(refused.body).toMatchObject({ code: "destination_paused", message: expect.stringContaining("paused for now") });
    await expectRefused(customer, "+491711234567", 503, { code: "destination_paused" });
    expect((await call(customer, LONDON)).status).toBe(201);

    const ctx = asOperator(world.ctx, "grace");
    const { breakers } = await readBreakers(ctx);
    const ghana = breakers.find(({ kind }) => kind === "prefix")?.id ?? "";
    await operate(ctx, "lift-breaker", { breaker: ghana, reason: "A campaign of ours" });
    await expect(operate(ctx, "lift-breaker", { breaker: ghana, reason: "Again" })).rejects.toMatchObject({
      code: "not_found",
    });
    const next = await world.customer({ tier: "new" });
    expect((await call(next, GHANA)).status).toBe(201);
    const { rows } = await sql<any>`select operator, action, reason from operation`.execute(world.database.handle.db);
    expect(rows).toEqual([{ operator: "grace", action: "lift-breaker", reason: "A campaign of ours" }]);
    world.clock.advance(HOUR_MS);
    expect((await call(await world.customer(), "+491711234567")).status).toBe(201);
  });

  test("allow only trusted customers' ordinary calls once the daily carrier cost limit is reached; its warning level stops nothing", async () => {
    await open("spend_note", "80");
    expect((await call(await world.customer({ tier: "known" }), LONDON)).status).toBe(201);
    await open("carrier_spend", "");
    for (const tier of ["new", "known"] as const)
      await expectRefused(await world.customer({ tier }), LONDON, 503, { code: "destination_paused" });
    const trusted = await world.customer({ tier: "trusted", creditMicros: 50_000_000n });
    await expectRefused(trusted, GHANA, 503, { code: "destination_paused" });
    expect((await call(trusted, LONDON)).status).toBe(201);
    world.clock.advance(HOUR_MS);
  });
});

test("a price less than 5 % above its cost is not sold", async () => {
  await changePrices(world, "cost_per_minute_micros = rate_per_minute_micros * 95 / 100");
  expect((await call(await world.customer(), LONDON)).status).toBe(201);
  await changePrices(world, "cost_per_minute_micros = rate_per_minute_micros * 95 / 100 + 1");
  await expectRefused(await world.customer(), LONDON, 503, { code: "destination_paused" });
});

/** A call that ended half an hour ago, with this charge and price per minute. Listed ranges are class B at any price. */
async function spentOn(
  customer: Customer,
  dollars: number,
  rateMicros: bigint,
  priceClass = priceClassOf(rateMicros, null),
): Promise<void> {
  const { db } = world.database.handle;
  const [id] = await insertPastCalls(db, [
    {
      customerId: customer.id,
      createdAt: new Date(world.clock.now().getTime() - HOUR_MS / 2),
      destination: "+4930123456",
      countryCode: "DE",
      chargeMicros: BigInt(Math.round(dollars * 1e6)),
      priceClass,
    },
  ]);
  await sql`update call set rate_per_minute_micros = ${String(rateMicros)} where id = ${id}`.execute(db);
}
