import { sql } from "kysely";
import { countriesResponse, getRateResponse, lookupNumberResponse, ratesResponse } from "@farline/contract/rates.ts";
import { chargeFor } from "@farline/domain/calls/charge.ts";
import { DeckRows } from "@farline/domain/rates/deck-rows.ts";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ManualClock } from "../../test/manual-clock.ts";
import type { App } from "../platform/http/http.ts";
import { createTestApp } from "../../test/create-test-app.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { createRates } from "./rates.ts";
import { insertActivation, insertDeck, type PricedRow } from "./rates.store.ts";
import { testContext } from "../../test/test-context.ts";
import type { Rates } from "../context.ts";

const log = pino({ level: "silent" });

interface Running {
  database: TestDatabase;
  clock: ManualClock;
  rates: Rates;
  app: App;
  close: () => Promise<void>;
}

async function start(limitsScale = 0, mode: "sandbox" | "live" = "sandbox"): Promise<Running> {
  const database = await testDatabase();
  const clock = new ManualClock(new Date("2026-03-01T12:00:00Z"));
  const rates = await createRates(testContext({ handle: database.handle, clock, log, config: { limitsScale, mode } }));
  const app = createTestApp({ log, trustedProxies: 0 });
  rates.routes(app);
  const close = async () => {
    rates.close();
    await app.close();
    await database.close();
  };
  return { database, clock, rates, app, close };
}

function row(prefix: string, ratePerMinuteMicros: bigint): PricedRow {
  return {
    prefix,
    description: "Test",
    countryCode: "GB",
    numberType: "mobile",
    ratePerMinuteMicros,
    firstIntervalSeconds: 60,
    nextIntervalSeconds: 6,
    cost: { ratePerMinuteMicros: 1n, firstIntervalSeconds: 1, nextIntervalSeconds: 1 },
  };
}

let running: Running;
beforeAll(async () => {
  running = await start();
});
afterAll(() => running.close());

const lookUp = (payload: object) => running.app.inject({ method: "POST", url: "/api/rates/lookup-number", payload });

describe("a service without a deck", () => {
  test("sells the whole sample deck at the retail price over its cost", async () => {
    const { db } = running.database.handle;
    const { rows } = await sql<any>`select count(*) as decks from deck`.execute(db);
    expect(rows[0].decks).toBe(1n);
    const deck = await sql<any>`select count(*) as rates, min(rate_per_minute_micros) as lowest,
        bool_and(rate_per_minute_micros >= cost_per_minute_micros * 14 / 10) as marked_up from deck_rate`.execute(db);
    expect(deck.rows[0]).toEqual({ rates: 5769n, lowest: 10_000n, marked_up: true });
  });

  test("sells per second what is bought per second, and never in longer increments than it is bought", async () => {
    const { rows } = await sql<{
      blocks: string;
      rates: bigint;
    }>`select format('%s/%s for %s/%s', first_interval_seconds, next_interval_seconds,
        cost_first_interval_seconds, cost_next_interval_seconds) as blocks, count(*) as rates
      from deck_rate group by 1`.execute(running.database.handle.db);
    expect(Object.fromEntries(rows.map(({ blocks, rates }) => [blocks, Number(rates)]))).toEqual({
      "1/1 for 1/1": 4182,
      // Per-second billing would sell very short calls below cost. A minimum charge covers that, or the carrier's increments are kept.
      "6/1 for 6/6": 70,
      "6/6 for 6/6": 15,
      "30/6 for 30/6": 687,
      "60/1 for 60/1": 18,
      "60/60 for 60/60": 797,
    });
  });

  test("charges no call of up to an hour below its cost, for any row", async () => {
    const { rows } = await sql<
      Record<"sale" | "cost", [string, number, number]>
    >`select distinct jsonb_build_array(rate_per_minute_micros::text, first_interval_seconds, next_interval_seconds) as sale,
        jsonb_build_array(cost_per_minute_micros::text, cost_first_interval_seconds, cost_next_interval_seconds) as cost from deck_rate`.execute(
      running.database.handle.db,
    );
    const billing = ([micros, firstIntervalSeconds, nextIntervalSeconds]: [string, number, number]) => ({
      ratePerMinuteMicros: BigInt(micros),
      firstIntervalSeconds,
      nextIntervalSeconds,
    });
    const losses: string[] = [];
    for (const { sale, cost } of rows) {
      const [sold, bought] = [billing(sale), billing(cost)];
      for (let seconds = 1; seconds <= 3_600; seconds++)
        if (chargeFor(seconds, sold) < chargeFor(seconds, bought))
          losses.push(`${sale.join("/")} under ${cost.join("/")} at ${seconds} s`);
    }
    expect(rows.length).toBeGreaterThan(800);
    expect(losses).toEqual([]);
  });

  test.each([
    ["+12025550143", "US", 10_000n, [6, 1]],
    ["+442079460958", "GB", 10_000n, [1, 1]],
    ["+441632960123", "GB", 11_000n, [1, 1]],
    ["+447400123456", "GB", 18_000n, [1, 1]],
    ["+919876543210", "IN", 27_000n, [1, 1]],
    ["+50922453300", "HT", 497_000n, [60, 60]],
    ["+525512345678", "MX", 11_000n, [60, 60]],
  ])("%s costs what the price list shows", (number, country, ratePerMinuteMicros, [first, next]) => {
    expect(running.rates.quote(number, "visitor")).toMatchObject({
      countryCode: country,
      ratePerMinuteMicros,
      firstIntervalSeconds: first,
      nextIntervalSeconds: next,
      hasMargin: true,
    });
  });

  test("restarting, or starting two instances at once, loads the sample deck only once", async () => {
    const database = await testDatabase();
    const clock = new ManualClock(new Date("2025-06-01T00:00:00Z"));
    const ctx = testContext({ handle: database.handle, clock, log });
    for (const started of await Promise.all([createRates(ctx), createRates(ctx), createRates(ctx)])) {
      expect(started.ready()).toBe(true);
      started.close();
    }
    expect((await sql<any>`select count(*) as decks from deck`.execute(database.handle.db)).rows[0].decks).toBe(1n);
    await database.close();
  });
});

const newDeck = (running: Running, last: number) => ({
  id: `01980000-0000-7000-8000-00000000000${last}`,
  name: `Deck ${last}`,
  source: "test",
  checksum: null,
  trunk: null,
  createdAt: running.clock.now(),
});

const activate = (running: Running, deckId: string, effectiveAt: Date) =>
  insertActivation(running.database.handle.db, {
    deckId,
    effectiveAt,
    operator: "test",
    confirmed: false,
    reason: "test",
    at: running.clock.now(),
  });

test("a new deck takes effect at its exact second, and the old price applies until then", async () => {
  const own = await start();
  const { database, clock, rates } = own;
  const before = rates.quote("+447400123456", "visitor");
  const deck = newDeck(own, 1);
  const effectiveAt = new Date(clock.now().getTime() + 30_000);
  await insertDeck(database.handle.db, deck, { rows: DeckRows.from([row("4474", 123_400n)]), blocks: [] });
  await activate(own, deck.id, effectiveAt);
  await rates.refresh();
  clock.advance(29_999);
  expect(rates.quote("+447400123456", "visitor")).toEqual(before);
  clock.advance(1);
  expect(rates.quote("+447400123456", "visitor")).toMatchObject({
    ratePerMinuteMicros: 123_400n,
    deckId: deck.id,
    deckEffectiveAt: effectiveAt,
    prefix: "4474",
    firstIntervalSeconds: 60,
    nextIntervalSeconds: 6,
  });
  expect(rates.quote("+12025550143", "visitor")).toBeNull();
  await rates.refresh();
  expect(rates.quote("+447400123456", "visitor")?.deckId).toBe(deck.id);
  await own.close();
});

test("of activations for the same second the newest counts, and a later one does not take effect early", async () => {
  const own = await start();
  const at = own.clock.now();
  const [first, second] = [newDeck(own, 1), newDeck(own, 2)];
  await insertDeck(own.database.handle.db, first, { rows: DeckRows.from([row("44", 50_000n)]), blocks: [] });
  await insertDeck(own.database.handle.db, second, { rows: DeckRows.from([row("44", 60_000n)]), blocks: [] });
  const price = async () => {
    await own.rates.refresh();
    return own.rates.quote("+447400123456", "visitor")?.ratePerMinuteMicros;
  };
  expect(await price()).not.toBe(50_000n);
  await activate(own, first.id, at);
  expect(await price()).toBe(50_000n);
  own.clock.advance(1);
  await activate(own, second.id, at);
  expect(await price()).toBe(60_000n);
  await activate(own, first.id, own.clock.now());
  expect(await price()).toBe(50_000n);
  expect(own.rates.quote("+447400123456", "visitor")?.deckEffectiveAt).toEqual(own.clock.now());
  await own.close();
});

test("a price of zero counts as no price, so that a mistake in a deck makes no prefix free", async () => {
  const own = await start();
  const deck = newDeck(own, 1);
  await insertDeck(own.database.handle.db, deck, { rows: DeckRows.from([row("44", 50_000n), row("4474", 0n)]), blocks: [] });
  await activate(own, deck.id, own.clock.now());
  await own.rates.refresh();
  expect(own.rates.quote("+442079460958", "visitor")?.ratePerMinuteMicros).toBe(50_000n);
  expect(own.rates.quote("+447400123456", "visitor")).toBeNull();
  await own.close();
});

test("a live service neither loads the sample deck nor sells by it", async () => {
  const sandbox = await start();
  const { db } = sandbox.database.handle;
  const live = await createRates(
    testContext({ handle: sandbox.database.handle, clock: sandbox.clock, log, config: { mode: "live" } }),
  );
  expect([live.ready(), live.quote("+447400123456", "visitor")]).toEqual([false, null]);
  const deck = newDeck(sandbox, 1);
  await insertDeck(db, deck, { rows: DeckRows.from([row("44", 50_000n)]), blocks: [] });
  await activate(sandbox, deck.id, new Date("2025-01-01T00:00:00Z"));
  await live.refresh();
  expect([live.ready(), live.quote("+447400123456", "visitor")?.deckId]).toEqual([true, deck.id]);
  await sandbox.rates.refresh();
  expect(sandbox.rates.quote("+447400123456", "visitor")?.deckId).not.toBe(deck.id);
  live.close();
  await sandbox.close();

  const empty = await start(0, "live");
  expect(empty.rates.ready()).toBe(false);
  expect((await sql<any>`select count(*) as decks from deck`.execute(empty.database.handle.db)).rows[0].decks).toBe(0n);
  await empty.close();
});

describe("GET /api/rates", () => {
  test("returns a mobile and a landline price for nearly every country, sorted by name", async () => {
    const answer = await running.app.inject({ url: "/api/rates" });
    expect(answer.statusCode).toBe(200);
    const { rates } = ratesResponse.parse(answer.json());
    expect(rates.length).toBeGreaterThan(470);
    const names = rates.map((rate) => rate.country_name);
    expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, "en")));
    for (const country of ["US", "IN", "GB", "CA", "AE", "AU"])
      expect(rates.filter((rate) => rate.country_code === country).map((rate) => rate.number_type)).toEqual([
        "mobile",
        "landline",
      ]);
    expect(rates.find((rate) => rate.id === "US-mobile")).toEqual({
      id: "US-mobile",
      country_code: "US",
      country_name: "United States",
      dial_code: "1",
      number_type: "mobile",
      our_rate_per_minute: "0.0100",
    });
    expect(rates.some((rate) => rate.country_code.startsWith("X") && rate.country_code !== "XK")).toBe(false);
  });

  test("shows the fallback country's prices for countries without their own", async () => {
    const { rates } = ratesResponse.parse((await running.app.inject({ url: "/api/rates" })).json());
    for (const country of ["AX", "VA", "BL", "MF", "SJ", "CC", "CX"])
      expect(rates.some((rate) => rate.country_code === country)).toBe(true);
  });

  test.each(["/api/rates", "/api/rates/countries"])(
    "%s is cached for a minute, compressed, and revalidated by ETag",
    async (url) => {
      const plain = await running.app.inject({ url });
      expect(plain.headers["cache-control"]).toBe("public, max-age=60");
      expect(plain.headers["content-encoding"]).toBeUndefined();
      const packed = await running.app.inject({ url, headers: { "accept-encoding": "gzip, br" } });
      expect(packed.headers["content-encoding"]).toBe("gzip");
      expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 4);
      const again = await running.app.inject({ url, headers: { "if-none-match": String(plain.headers.etag) } });
      expect(again.statusCode).toBe(304);
      expect(again.body).toBe("");
    },
  );
});

test("GET /api/rates/countries summarises each country's ordinary numbers", async () => {
  const { countries } = countriesResponse.parse((await running.app.inject({ url: "/api/rates/countries" })).json());
  const { rates } = ratesResponse.parse((await running.app.inject({ url: "/api/rates" })).json());
  expect(countries.length).toBeGreaterThan(235);
  for (const one of countries) {
    const mobile = rates.find((rate) => rate.country_code === one.country_code && rate.number_type === "mobile");
    expect(one.mobile_rate).toBe(mobile?.our_rate_per_minute ?? null);
    expect(Number(one.min_rate)).toBeLessThanOrEqual(Number(one.avg_rate));
    expect(Number(one.avg_rate)).toBeLessThanOrEqual(Number(one.max_rate));
    expect(one.sample_prefixes.length).toBeGreaterThan(0);
    expect(one.rate_count).toBeGreaterThanOrEqual(one.sample_prefixes.length);
  }
  const india = countries.find((one) => one.country_code === "IN");
  expect(india?.min_rate).toMatch(/^0\.02/);
});

describe("POST /api/rates/get-rate", () => {
  const getRate = (payload: object) => running.app.inject({ method: "POST", url: "/api/rates/get-rate", payload });

  test("returns the mobile rate by default", async () => {
    const mobile = await getRate({ country_code: "GB" });
    expect(getRateResponse.parse(mobile.json()).rate).toMatchObject({ id: "GB-mobile" });
    const landline = await getRate({ country_code: "GB", number_type: "landline" });
    expect(getRateResponse.parse(landline.json()).rate).toMatchObject({ id: "GB-landline", our_rate_per_minute: "0.0110" });
  });

  test("returns no rate for an unknown country and refuses an invalid code", async () => {
    const unknown = await getRate({ country_code: "ZZ" });
    expect([unknown.statusCode, unknown.json().code]).toEqual([422, "no_rate"]);
    for (const payload of [{}, { country_code: "gb" }, { country_code: "GB", number_type: "premium" }]) {
      const answer = await getRate(payload);
      expect([answer.statusCode, answer.json().code]).toEqual([422, "validation_failed"]);
    }
  });
});

describe("POST /api/rates/lookup-number", () => {
  test.each([
    ["+442079460000", 3600],
    ["+5352345678", null],
    ["+881612345678", null],
  ])("returns the longest call allowed to %s", async (phone_number, longest) => {
    expect((await lookUp({ phone_number })).json().rate.longest_call_s).toBe(longest);
  });

  test("returns the exact price by which a call would be charged", async () => {
    const answer = await lookUp({ phone_number: "07400 123456", country_code: "GB" });
    expect(answer.statusCode).toBe(200);
    const { rate } = lookupNumberResponse.parse(answer.json());
    const quote = running.rates.quote("+447400123456", "visitor");
    expect(rate).toMatchObject({
      number: "+447400123456",
      country_code: "GB",
      country_name: "United Kingdom",
      number_type: "mobile",
      prefix: quote?.prefix,
      rate_per_minute: "0.0180",
      exact: true,
      deck_id: quote?.deckId,
    });
  });

  test.each([
    [{ phone_number: "+447" }, "+447", "GB"],
    [{ phone_number: "00447" }, "+447", "GB"],
    [{ phone_number: "074", country_code: "GB" }, "+4474", "GB"],
    [{ phone_number: "213", country_code: "US" }, "+1213", "US"],
  ])("returns the price of the digits so far for %j", async (payload, number, country_code) => {
    const answer = await lookUp(payload);
    expect(answer.statusCode).toBe(200);
    expect(lookupNumberResponse.parse(answer.json()).rate).toMatchObject({ number, country_code, exact: false });
  });

  test.each([
    [{ phone_number: "07400 123456" }, 422, "country_required"],
    [{ phone_number: "hello there" }, 422, "number_invalid"],
    [{ phone_number: "*67 213 373 4253", country_code: "US" }, 422, "number_invalid"],
    [{ phone_number: "911", country_code: "US" }, 403, "emergency_number"],
    [{ phone_number: "+44 999" }, 403, "emergency_number"],
    [{ phone_number: "+999 123 4567" }, 422, "number_invalid"],
    [{ phone_number: "6462345678", country_code: "US" }, 422, "number_ambiguous"],
    [{ phone_number: "+4" }, 422, "validation_failed"],
    [{ phone_number: "1".repeat(121) }, 422, "validation_failed"],
    [{}, 422, "validation_failed"],
  ])("refuses %j", async (payload, status, code) => {
    const answer = await lookUp(payload);
    expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
    expect(answer.json().message).not.toBe("");
  });

  test("refuses a number of a former plan, with the year and today's number", async () => {
    const message = "This is an old number. Numbers in Vietnam changed in 2018.";
    const choices = [{ number: "+84363124567", country_code: "VN", country_name: "Vietnam" }];
    const answer = (await lookUp({ phone_number: "+84 166 312 4567" })).json();
    expect(answer).toMatchObject({ code: "number_invalid", message, reason: "number_renumbered", choices });
    expect((await lookUp({ phone_number: "+502 234 5678" })).json().choices).toBeUndefined();
  });

  test("is rate-limited per address", async () => {
    const limited = await start(1);
    const lookUp = () =>
      limited.app.inject({ method: "POST", url: "/api/rates/lookup-number", payload: { phone_number: "+447400123456" } });
    for (let i = 0; i < 60; i++) expect((await lookUp()).statusCode).toBe(200);
    const refused = await lookUp();
    expect([refused.statusCode, refused.json().code]).toEqual([429, "rate_limited"]);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    await limited.close();
  });
});
