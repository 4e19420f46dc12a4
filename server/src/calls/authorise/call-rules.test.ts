import { MINUTE_MS, HOUR_MS } from "@farline/domain/durations.ts";
import type { InitiateResponse } from "@farline/contract/calls.ts";
import type { ErrorBody } from "@farline/contract/errors.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCallWorld, LONDON, type CallWorld } from "../../../test/worlds/call-world.ts";
import { insertPastCalls, type PastCall } from "../../../test/past-calls.ts";
import type { Customer } from "../../accounts/accounts.ts";

let world: CallWorld;
let doubled: CallWorld;
beforeAll(async () => {
  [world, doubled] = await Promise.all([createCallWorld(), createCallWorld({ limitsScale: 2 })]);
});
afterAll(() => Promise.all([world.close(), doubled.close()]));
beforeEach(() => world.provider.calmDown());

const call = (customer: Customer, number: string, at = world) =>
  at.request<InitiateResponse & ErrorBody>(customer, {
    method: "POST",
    path: "/api/calls/initiate",
    body: { destination_number: number },
  });

/** Past calls, `agoMs` ago unless a call sets another time. */
async function past(customer: Customer, calls: readonly Partial<PastCall>[], { agoMs = 30 * MINUTE_MS, at = world } = {}) {
  const createdAt = new Date(at.clock.now().getTime() - agoMs);
  const ordinary = { customerId: customer.id, createdAt, chargeMicros: 1_000n };
  await insertPastCalls(
    at.database.handle.db,
    calls.map((one) => ({ ...ordinary, ...one })),
  );
}

const many = (count: number, one: (n: number) => Partial<PastCall>) => Array.from({ length: count }, (_, n) => one(n));
/** Numbers far apart from each other. */
const numberOf = (n: number) => `+44207${String(1_000_000 + n * 7_919).slice(0, 7)}`;

async function expectRefused(customer: Customer, number: string, [code, words]: [string, RegExp], at = world): Promise<void> {
  const answer = await call(customer, number, at);
  expect(answer.status).toBe(429);
  expect(answer.body.code).toBe(code);
  expect(answer.body.message).toMatch(words);
  expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
  expect((await at.money(customer)).heldMicros).toBe(0n);
}

describe("patterns that no ordinary caller shows", () => {
  test("four numbers within one block of a thousand in an hour block the account for a day", async () => {
    const customer = await world.customer();
    await past(
      customer,
      many(3, (n) => ({ destination: `+44207123412${n}` })),
    );
    await expectRefused(customer, "+442071234999", ["calls_paused", /paused/]);
    await expectRefused(customer, LONDON, ["calls_paused", /paused.*24 hours/]);
    world.clock.advance(24 * HOUR_MS + 1_000);
    expect((await call(customer, LONDON)).status).toBe(201);
  });

  test("three numbers within a block, many calls to one of them, or four over two hours do not block the account", async () => {
    const customer = await world.customer();
    await past(
      customer,
      many(5, () => ({ destination: "+442071234120" })),
    );
    await past(customer, [{ destination: "+442071234121" }]);
    expect((await call(customer, "+442071234122")).status).toBe(201);
    const patient = await world.customer();
    await past(
      patient,
      many(3, (n) => ({ destination: `+44207123412${n}` })),
      { agoMs: 61 * MINUTE_MS },
    );
    expect((await call(patient, "+442071234999")).status).toBe(201);
  });

  test("fictional numbers are not counted, because people use them to try out the service", async () => {
    const customer = await world.customer();
    await past(
      customer,
      many(9, (n) => ({ destination: `+44207946000${n}`, durationMs: 3_000 })),
    );
    expect((await call(customer, "+442079460486")).status).toBe(201);
  });

  test("ten calls of a few seconds within an hour block the account for an hour", async () => {
    const customer = await world.customer();
    await past(
      customer,
      many(10, (n) => ({ destination: numberOf(n), durationMs: 9_000 })),
    );
    await expectRefused(customer, numberOf(20), ["calls_paused", /paused/]);
    world.clock.advance(HOUR_MS + 1_000);
    expect((await call(customer, numberOf(20))).status).toBe(201);
    const patient = await world.customer();
    await past(
      patient,
      many(10, (n) => ({ destination: numberOf(n), durationMs: 11_000 })),
    );
    expect((await call(patient, numberOf(20))).status).toBe(201);
  });

  test("calling one number more than twelve times in an hour is refused, and other numbers stay open", async () => {
    const customer = await world.customer();
    await past(
      customer,
      many(12, () => ({ destination: numberOf(1) })),
    );
    await expectRefused(customer, numberOf(1), ["rate_limited", /this number many times/]);
    expect((await call(customer, numberOf(2))).status).toBe(201);
  });

  test("the 26th number in a day is refused, and the first 25 stay open", async () => {
    const customer = await world.customer();
    await past(
      customer,
      many(25, (n) => ({ destination: numberOf(n) })),
      { agoMs: 5 * HOUR_MS },
    );
    await expectRefused(customer, numberOf(60), ["too_many_destinations", /many different numbers/]);
    expect((await call(customer, numberOf(3))).status).toBe(201);
  });

  test("the sixth country in a day is refused", async () => {
    const customer = await world.customer();
    const countries = ["DE", "FR", "US", "IN", "CA"];
    await past(
      customer,
      countries.map((countryCode, n) => ({ countryCode, destination: numberOf(n) })),
      { agoMs: 5 * HOUR_MS },
    );
    await expectRefused(customer, numberOf(9), ["too_many_destinations", /many different countries/]);
  });

  test("the limits scale multiplies the pattern limits", async () => {
    const customer = await doubled.customer();
    await past(
      customer,
      many(12, () => ({ destination: numberOf(1) })),
      { at: doubled },
    );
    expect((await call(customer, numberOf(1), doubled)).status).toBe(201);
    const other = await doubled.customer();
    await past(
      other,
      many(24, () => ({ destination: numberOf(1) })),
      { at: doubled },
    );
    await expectRefused(other, numberOf(1), ["rate_limited", /this number many times/], doubled);
  });
});

describe("a new account's daily spending limit", () => {
  test("limits a call's hold, and refuses the next call once it is spent", async () => {
    const customer = await world.customer({ creditMicros: 40_000_000n });
    await past(customer, [{ destination: numberOf(1), chargeMicros: 29_900_000n }]);
    const answer = await call(customer, numberOf(2));
    expect(answer.status).toBe(201);
    expect((await world.money(customer)).heldMicros).toBe(100_000n);
    expect(answer.body.call.bounded_by).toBe("longest_call");

    const spent = await world.customer({ creditMicros: 40_000_000n });
    await past(spent, [{ destination: numberOf(1), chargeMicros: 29_999_999n }]);
    await expectRefused(spent, numberOf(2), ["spend_limit_reached", /account.s daily limit/]);
  });
});
