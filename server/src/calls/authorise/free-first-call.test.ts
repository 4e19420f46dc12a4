import { sql } from "kysely";
import type { CallQuoteResponse } from "@farline/contract/calls.ts";
import type { ErrorBody } from "@farline/contract/errors.ts";
import { insertPastCalls } from "../../../test/past-calls.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createCallWorld, insertPaid, LONDON, type CallWorld } from "../../../test/worlds/call-world.ts";
import type { Customer } from "../../accounts/accounts.ts";

/** More expensive than ordinary destinations in the sample deck. */
const ACCRA_MOBILE = "+233241234567";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());

const call = (customer: Customer, number: string) =>
  world.request<ErrorBody>(customer, { method: "POST", path: "/api/calls/initiate", body: { destination_number: number } });

const quote = async (customer: Customer, number: string) =>
  (
    await world.request<CallQuoteResponse>(customer, {
      method: "POST",
      path: "/api/calls/quote",
      body: { destination_number: number },
    })
  ).body;

const GRANT = 250_000n;

/** A customer with a free first call, and optionally paid or other bonus credit. */
async function granted({ own = 0n, bonus = GRANT }: { own?: bigint; bonus?: bigint } = {}): Promise<Customer> {
  const customer = await world.customer({ creditMicros: own });
  const { db } = world.database.handle;
  await sql`insert into first_call (customer_id, state, bonus_micros, created_at, decided_at)
     values (${customer.id}, 'granted', ${GRANT}, now(), now())`.execute(db);
  await world.ctx.ledger.credit(db, {
    key: `first-call:${customer.id}`,
    customerId: customer.id,
    kind: "bonus",
    amountMicros: bonus,
    referenceId: null,
    description: "Your first call is free",
  });
  return customer;
}

function rateOfAccra(): bigint {
  const found = world.ctx.rates.quote(ACCRA_MOBILE, "visitor");
  if (found === null) throw new Error("The sample deck has no rate for Accra.");
  return found.ratePerMinuteMicros;
}

test("the free first call reaches expensive destinations, for the seconds that the grant pays for", async () => {
  const customer = await granted();
  const seconds = Number((GRANT * 60n) / rateOfAccra());
  expect(await quote(customer, ACCRA_MOBILE)).toMatchObject({ free_seconds: seconds, max_seconds: seconds, refusal: null });
  expect((await call(customer, ACCRA_MOBILE)).status).toBe(201);
  expect((await world.money(customer)).heldMicros).toBeLessThanOrEqual(GRANT);
});

test("only one of several concurrent first calls is authorised", async () => {
  const customer = await granted({ bonus: 5_000_000n });
  const answers = await Promise.all(Array.from({ length: 5 }, () => call(customer, ACCRA_MOBILE)));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 403, 403, 403, 403]);
  expect((await world.money(customer)).heldMicros).toBeLessThanOrEqual(GRANT);
});

test("the free first call is used up by the first answered call, not by an unanswered one", async () => {
  const customer = await granted({ bonus: 5_000_000n });
  const past = { customerId: customer.id, createdAt: world.clock.now(), destination: LONDON, countryCode: "GB" };
  await insertPastCalls(world.database.handle.db, [{ ...past, status: "failed", endReason: "busy" }]);
  expect((await quote(customer, ACCRA_MOBILE)).free_seconds).not.toBeNull();
  await insertPastCalls(world.database.handle.db, [past]);
  expect((await quote(customer, ACCRA_MOBILE)).refusal?.code).toBe("destination_blocked");
  expect((await quote(customer, LONDON)).refusal).toBeNull();
});

test("a grant that pays for less than half a minute is refused with the highest price it covers", async () => {
  const customer = await granted();
  const { rates } = world;
  const original = rates.quote;
  rates.quote = (e164, buyer) => {
    const found = original(e164, buyer);
    return found === null ? null : { ...found, ratePerMinuteMicros: 550_000n };
  };
  const refused = await call(customer, ACCRA_MOBILE).finally(() => {
    rates.quote = original;
  });
  expect([refused.status, refused.body.code, refused.body.message]).toEqual([
    403,
    "first_call_too_short",
    "Your free first call is for numbers that cost up to $0.50 per minute. Top up to call this one.",
  ]);
});

test("customers with paid credit can call expensive destinations, but only with the grant once the payment was returned", async () => {
  expect((await call(await granted({ own: 5_000_000n }), ACCRA_MOBILE)).status).toBe(201);
  const { db } = world.database.handle;
  const [paid, tookItBack] = [await granted({ bonus: 5_000_000n }), await granted({ bonus: 5_000_000n })];
  for (const { id } of [paid, tookItBack]) await insertPaid(db, id, { dollars: 10, at: world.clock.now() });
  await sql`update payment set refunded_micros = 9000000 where customer_id = ${tookItBack.id}`.execute(db);
  const quotes = [await quote(paid, ACCRA_MOBILE), await quote(tookItBack, ACCRA_MOBILE)];
  const seconds = Number((GRANT * 60n) / rateOfAccra());
  expect(quotes.map((one) => [one.refusal, one.free_seconds])).toEqual([
    [null, seconds],
    [null, seconds],
  ]);
  expect(quotes.map((one) => one.max_seconds === one.free_seconds)).toEqual([false, true]);
  expect((await call(paid, ACCRA_MOBILE)).status).toBe(201);
});
