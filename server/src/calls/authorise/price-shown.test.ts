import type { CallQuoteResponse, InitiateResponse } from "@farline/contract/calls.ts";
import type { ErrorBody } from "@farline/contract/errors.ts";
import { rateToDecimalString } from "@farline/domain/money.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCallWorld, LONDON, type CallWorld } from "../../../test/worlds/call-world.ts";
import type { Customer } from "../../accounts/accounts.ts";
import type { RateQuote } from "../../rates/rates.ts";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld();
});
afterAll(() => world.close());

/** Each is charged by the deck, whether or not libphonenumber considers it valid. */
const NUMBERS = [
  ["a number of a neighbour under the chosen country's dial code", "2425550123", "US"],
  ["a fictional number of an island under a shared dial code", "+447700900123", "US"],
  ["a number in a range that is not in use", "+16495550000", "US"],
  ["an ordinary number", LONDON, "US"],
] as const;

const post = <T>(customer: Customer, path: string, body: object, key?: string) =>
  world.request<T & ErrorBody>(customer, {
    method: "POST",
    path,
    body,
    ...(key === undefined ? {} : { headers: { "idempotency-key": key } }),
  });
const quote = (customer: Customer, number: string, country: string) =>
  post<CallQuoteResponse>(customer, "/api/calls/quote", { destination_number: number, destination_country: country });
const initiate = (customer: Customer, body: object, key?: string) =>
  post<InitiateResponse>(customer, "/api/calls/initiate", body, key);

function shownPrice(rate: RateQuote, change: { micros?: bigint; first?: number; next?: number } = {}) {
  return {
    rate_per_minute: rateToDecimalString(rate.ratePerMinuteMicros + (change.micros ?? 0n)),
    first_interval_s: change.first ?? rate.firstIntervalSeconds,
    next_interval_s: change.next ?? rate.nextIntervalSeconds,
  };
}

/** Changes London's price while `run` runs. */
async function atPrice<T>(change: Partial<RateQuote>, run: () => Promise<T>): Promise<T> {
  const { rates } = world;
  const original = rates.quote;
  rates.quote = (e164, buyer) => {
    const found = original(e164, buyer);
    return found === null ? null : { ...found, ...change };
  };
  try {
    return await run();
  } finally {
    rates.quote = original;
  }
}

function london(): RateQuote {
  const found = world.ctx.rates.quote(LONDON, "visitor");
  if (found === null) throw new Error("the sample deck has no rate for London");
  return found;
}

test.each(NUMBERS)("%s is charged at the quoted price", async (_name, number, country) => {
  const customer = await world.customer({ tier: "trusted" });
  const { body } = await quote(customer, number, country);
  const { price } = body;
  const { rate_per_minute, first_interval_s, next_interval_s } = price;
  const request = { destination_number: price.number, shown_price: { rate_per_minute, first_interval_s, next_interval_s } };
  const answer = await initiate(customer, request);
  expect(answer.status).toBe(201);
  expect(answer.body.call).toMatchObject({
    destination_number: price.number,
    destination_country: price.country_code,
    ...{ rate_per_minute, first_interval_s, next_interval_s, number_type: price.number_type },
  });
  await post(customer, `/api/calls/${answer.body.call.id}/hangup`, {});
});

describe("a call that costs more than the price shown is refused with the new price and holds nothing", () => {
  test.each([
    ["a lower rate per minute", { micros: -1_000n }],
    ["shorter first increment", { first: 1 }],
    ["shorter further increments", { next: 1 }],
  ])("%s", async (_name, change) => {
    const customer = await world.customer();
    await atPrice({ firstIntervalSeconds: 60, nextIntervalSeconds: 60 }, async () => {
      const { status, body } = await initiate(customer, {
        destination_number: LONDON,
        shown_price: shownPrice(london(), change),
      });
      expect(status).toBe(409);
      expect(body).toMatchObject({
        code: "price_changed",
        price: { number: LONDON, ...shownPrice(london()), country_code: "GB" },
      });
      expect(await world.money(customer)).toMatchObject({ heldMicros: 0n });
      const confirmed = await initiate(customer, { destination_number: LONDON, shown_price: shownPrice(london()) });
      expect(confirmed.status).toBe(201);
    });
  });

  test("even if its leg is already waiting", async () => {
    const customer = await world.customer();
    const ticket = "t".repeat(43);
    const { status } = await initiate(customer, {
      destination_number: LONDON,
      ticket,
      shown_price: shownPrice(london(), { micros: -1n * 1_000n }),
    });
    expect(status).toBe(409);
    expect(await world.money(customer)).toMatchObject({ heldMicros: 0n });
  });
});

test("a call that costs less than the price shown is made at the lower price", async () => {
  const customer = await world.customer();
  const { status, body } = await initiate(customer, {
    destination_number: LONDON,
    shown_price: shownPrice(london(), { micros: 5_000n, first: 60, next: 60 }),
  });
  expect(status).toBe(201);
  expect(body.call).toMatchObject(shownPrice(london()));
});

test("a client that sends no shown price gets the price in the response", async () => {
  const { status, body } = await initiate(await world.customer(), { destination_number: LONDON });
  expect(status).toBe(201);
  expect(body.call).toMatchObject(shownPrice(london()));
});

test("repeating a request after the price rose returns the call at its original price", async () => {
  const customer = await world.customer();
  const body = { destination_number: LONDON, shown_price: shownPrice(london()) };
  const first = await initiate(customer, body, "attempt-1");
  const again = await atPrice({ ratePerMinuteMicros: london().ratePerMinuteMicros * 2n }, () =>
    initiate(customer, body, "attempt-1"),
  );
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.body.call.id).toBe(first.body.call.id);
  expect(again.body.call.rate_per_minute).toBe(first.body.call.rate_per_minute);
});

test.each([
  ["not a price", { rate_per_minute: "1e3", first_interval_s: 1, next_interval_s: 1 }],
  ["negative", { rate_per_minute: "-0.0100", first_interval_s: 1, next_interval_s: 1 }],
  ["no interval", { rate_per_minute: "0.0100", first_interval_s: 0, next_interval_s: 1 }],
  ["endless interval", { rate_per_minute: "0.0100", first_interval_s: 1, next_interval_s: 1e9 }],
])("a shown price that is %s is invalid", async (_name, shown_price) => {
  const { status, body } = await initiate(await world.customer(), { destination_number: LONDON, shown_price });
  expect([status, body.code]).toEqual([422, "validation_failed"]);
});
