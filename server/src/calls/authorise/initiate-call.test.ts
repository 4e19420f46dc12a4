import { sql } from "kysely";
import type { Call, CallQuoteResponse, InitiateResponse } from "@farline/contract/calls.ts";
import type { ErrorBody } from "@farline/contract/errors.ts";
import { chargeFor, minimumHold } from "@farline/domain/calls/charge.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CALLER_NUMBER, createCallWorld, LONDON, type CallWorld } from "../../../test/worlds/call-world.ts";
import type { Customer } from "../../accounts/accounts.ts";

let world: CallWorld;
let unlimited: CallWorld;
beforeAll(async () => {
  [world, unlimited] = await Promise.all([createCallWorld(), createCallWorld({ limitsScale: 0 })]);
});
afterAll(() => Promise.all([world.close(), unlimited.close()]));

const initiate = (where: CallWorld, customer: Customer | null, body: unknown, headers?: Record<string, string>) =>
  where.request<InitiateResponse & ErrorBody>(customer, {
    method: "POST",
    path: "/api/calls/initiate",
    body,
    ...(headers ? { headers } : {}),
  });

async function rowsOf(where: CallWorld, customer: Customer): Promise<{ calls: number; holds: number }> {
  const { rows } = await sql<{
    calls: bigint;
    holds: bigint;
  }>`select (select count(*) from call where customer_id = ${customer.id}) calls, (select count(*) from hold where customer_id = ${customer.id}) holds`.execute(
    where.database.handle.db,
  );
  return { calls: Number(rows[0]?.calls), holds: Number(rows[0]?.holds) };
}

function quoteOf(where: CallWorld, number: string) {
  const quote = where.ctx.rates.quote(number, "visitor");
  if (quote === null) throw new Error(`the sample deck has no rate for ${number}`);
  return quote;
}

describe("an allowed call", () => {
  test("gets a hold, a fixed rate and a ticket", async () => {
    const customer = await world.customer();
    const { status, body } = await initiate(world, customer, { destination_number: "020 7946 0000", destination_country: "GB" });
    const quote = quoteOf(world, LONDON);
    const want = chargeFor(3_600, quote);
    expect(status).toBe(201);
    expect(body.ticket).toMatch(/^[\w-]{43}$/);
    expect(body.caller_number).toBe(CALLER_NUMBER);
    expect(Date.parse(body.ticket_expires_at) - world.clock.now().getTime()).toBe(60_000);
    expect(body.call).toMatchObject({
      destination_number: LONDON,
      destination_country: "GB",
      status: "initiated",
      rate_prefix: quote.prefix,
      deck_id: quote.deckId,
      max_seconds: 3_600,
      cost: "0.00",
    });
    expect(await world.money(customer)).toMatchObject({ balanceMicros: 5_000_000n, heldMicros: want });
  });

  test("with little credit holds all of it and is limited to the time it pays for", async () => {
    const quote = quoteOf(world, LONDON);
    const creditMicros = chargeFor(90, quote);
    const customer = await world.customer({ creditMicros });
    const { call } = await world.initiate(customer);
    expect(call.max_seconds).toBeGreaterThanOrEqual(90);
    expect(chargeFor(call.max_seconds, quote)).toBeLessThanOrEqual(creditMicros);
    expect(await world.money(customer)).toMatchObject({ heldMicros: creditMicros, availableMicros: 0n });
  });

  test("is created once when requested twice with one Idempotency-Key, even concurrently", async () => {
    const customer = await world.customer();
    const request = () => initiate(world, customer, { destination_number: LONDON }, { "idempotency-key": "attempt-1" });
    const answers = await Promise.all([request(), request(), request()]);
    answers.push(await request());
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.call.id)).size).toBe(1);
    expect(new Set(answers.map(({ body }) => body.ticket)).size).toBe(1);
    expect(await rowsOf(world, customer)).toEqual({ calls: 1, holds: 1 });
    const other = await initiate(world, customer, { destination_number: "+14155550123" }, { "idempotency-key": "attempt-1" });
    expect(other).toMatchObject({ status: 409, body: { code: "conflict" } });
  });
});

test("a ticket of another customer's call is refused", async () => {
  const [owner, other] = [await world.customer(), await world.customer()];
  const body = { destination_number: LONDON, ticket: "t".repeat(43) };
  expect((await initiate(world, owner, body)).status).toBe(201);
  const refused = { status: 409, body: { code: "conflict", reason: "ticket_of_other_call" } };
  expect(await initiate(world, other, body)).toMatchObject(refused);
  expect(await rowsOf(world, owner)).toEqual({ calls: 1, holds: 1 });
  expect(await rowsOf(world, other)).toEqual({ calls: 0, holds: 0 });
});

describe("a refused call leaves no row and no hold", () => {
  const refusals: [name: string, body: unknown, status: number, error: { code: string; errors?: unknown }][] = [
    [
      "emergency number of the selected country",
      { destination_number: "999", destination_country: "GB" },
      403,
      { code: "emergency_number" },
    ],
    ["emergency number without a country", { destination_number: "911" }, 403, { code: "emergency_number" }],
    ["emergency number behind a dial code", { destination_number: "+1911" }, 403, { code: "emergency_number" }],
    [
      "short code",
      { destination_number: "12345", destination_country: "US" },
      422,
      { code: "number_invalid", errors: { destination_number: [expect.any(String)] } },
    ],
    [
      "star code",
      { destination_number: "*67#", destination_country: "US" },
      422,
      { code: "number_invalid", errors: { destination_number: [expect.any(String)] } },
    ],
    [
      "number with too few digits",
      { destination_number: "+4420794" },
      422,
      { code: "number_invalid", errors: { destination_number: [expect.any(String)] } },
    ],
    [
      "letters",
      { destination_number: "call me" },
      422,
      { code: "number_invalid", errors: { destination_number: [expect.any(String)] } },
    ],
    [
      "no country",
      { destination_number: "07400 123456" },
      422,
      { code: "country_required", errors: { destination_country: [expect.any(String)] } },
    ],
    ["premium number", { destination_number: "+449098790000" }, 403, { code: "destination_blocked" }],
    ["satellite phone", { destination_number: "+881612345678" }, 403, { code: "destination_blocked" }],
    ["pay-per-call exchange", { destination_number: "+12129761234" }, 403, { code: "destination_blocked" }],
    ["our own number", { destination_number: CALLER_NUMBER }, 403, { code: "destination_blocked" }],
    [
      "nothing",
      { destination_number: "" },
      422,
      { code: "validation_failed", errors: { destination_number: [expect.any(String)] } },
    ],
    ["no field", {}, 422, { code: "validation_failed", errors: { destination_number: [expect.any(String)] } }],
    [
      "a number that is too long",
      { destination_number: "1".repeat(65) },
      422,
      { code: "validation_failed", errors: { destination_number: [expect.any(String)] } },
    ],
    [
      "lower-case country code",
      { destination_number: LONDON, destination_country: "gb" },
      422,
      { code: "validation_failed", errors: { destination_country: [expect.any(String)] } },
    ],
    ["malformed JSON", '{"destination_number":', 400, { code: "malformed_request" }],
    ["oversized body", { destination_number: LONDON, filler: "x".repeat(70_000) }, 413, { code: "body_too_large" }],
  ];

  test.each(refusals)("%s", async (_name, body, status, error) => {
    const customer = await world.customer();
    expect(await initiate(world, customer, body)).toMatchObject({ status, body: error });
    expect(await rowsOf(world, customer)).toEqual({ calls: 0, holds: 0 });
    expect((await world.money(customer)).heldMicros).toBe(0n);
  });

  test("the refusal of an emergency call names the number to dial on a phone", async () => {
    const { body } = await initiate(world, await world.customer(), { destination_number: "999", destination_country: "GB" });
    expect(body.message).toBe("This service cannot place emergency calls. Use your phone and dial 999.");
  });

  test("a number without a rate is refused, never free", async () => {
    const customer = await world.customer();
    const { handle } = world.database;
    const { initiateCall } = await import("./initiate-call.ts");
    const { createCallContext } = await import("../call-context.ts");
    const initiateWith = (rates: CallWorld["ctx"]["rates"]) =>
      initiateCall(createCallContext({ ...world.ctx, handle, rates }), customer, {
        destination_number: LONDON,
        sessionId: customer.id,
        idempotencyKey: null,
      });
    await expect(initiateWith({ ...world.ctx.rates, quote: () => null })).rejects.toMatchObject({
      code: "no_rate",
      message: "We have no rate for this number.",
    });
    expect(await rowsOf(world, customer)).toEqual({ calls: 0, holds: 0 });
  });

  test("insufficient credit returns 402 with the missing amount", async () => {
    const quote = quoteOf(world, LONDON);
    const customer = await world.customer({ creditMicros: 1_000n });
    const answer = await initiate(world, customer, { destination_number: LONDON });
    expect(answer).toMatchObject({ status: 402, body: { code: "insufficient_credit" } });
    const { required, available, missing } = answer.body.credit ?? { required: "", available: "", missing: "" };
    expect(Number(required)).toBeCloseTo(Number(minimumHold(quote)) / 1e6, 6);
    expect(available).toBe("0.001");
    expect(Number(missing)).toBeCloseTo(Number(required) - 0.001, 6);
    expect(await rowsOf(world, customer)).toEqual({ calls: 0, holds: 0 });
  });

  test("a frozen account or a missing session is refused", async () => {
    const frozen = await world.customer({ status: "frozen" });
    expect(await initiate(world, frozen, { destination_number: LONDON })).toMatchObject({
      status: 403,
      body: { code: "account_frozen" },
    });
    expect(await rowsOf(world, frozen)).toEqual({ calls: 0, holds: 0 });
    expect((await initiate(world, null, { destination_number: LONDON })).status).toBe(401);
  });

  test("an invalid Idempotency-Key is refused", async () => {
    const customer = await world.customer();
    const answer = await initiate(world, customer, { destination_number: LONDON }, { "idempotency-key": "x".repeat(201) });
    expect(answer).toMatchObject({ status: 422, body: { code: "validation_failed" } });
    expect(await rowsOf(world, customer)).toEqual({ calls: 0, holds: 0 });
  });
});

describe("limits", () => {
  test("allow one live call at a time, even when ten are requested concurrently", async () => {
    const customer = await world.customer();
    const { pool } = world.database.handle;
    // Another transaction holds the account's lock, so that all ten requests wait for it.
    const holder = await pool.connect();
    await holder.query("begin");
    await holder.query("select from account where customer_id = $1 for update", [customer.id]);
    const requests = Array.from({ length: 10 }, () => initiate(world, customer, { destination_number: LONDON }));
    const waiting =
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await expect.poll(async () => (await pool.query<{ n: number }>(waiting)).rows[0]?.n).toBe(10);
    await holder.query("rollback");
    holder.release();
    const answers = await Promise.all(requests);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(9);
    expect(refused[0]?.body).toMatchObject({ code: "too_many_live_calls", message: "You already have a call. End it first." });
    expect(await rowsOf(world, customer)).toEqual({ calls: 1, holds: 1 });
  });

  test("refuse the seventh attempt within a minute until the first is a minute old", async () => {
    const customer = await world.customer();
    for (let attempt = 0; attempt < 6; attempt++) {
      const { call } = await world.initiate(customer);
      await world.request(customer, { method: "POST", path: `/api/calls/${call.id}/hangup` });
      world.clock.advance(1_000);
    }
    const refused = await initiate(world, customer, { destination_number: LONDON });
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" }, headers: { "retry-after": "54" } });
    world.clock.advance(54_000);
    expect((await initiate(world, customer, { destination_number: LONDON })).status).toBe(201);
  });

  test("200 concurrent requests with credit for 10 minimal calls neither overdraw the account nor hold credit twice", async () => {
    const quote = quoteOf(unlimited, LONDON);
    const min = minimumHold(quote);
    const customer = await unlimited.customer({ creditMicros: min * 10n });
    // A limit per call keeps the holds small, so that ten calls fit.
    await sql`insert into guard_rail (customer_id, call_cap_micros, time_zone, updated_at) values (${customer.id}, ${min}, 'UTC', now())`.execute(
      unlimited.database.handle.db,
    );
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => initiate(unlimited, customer, { destination_number: LONDON })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(await unlimited.money(customer)).toMatchObject({ heldMicros: min * 10n, availableMicros: 0n });
    expect(await rowsOf(unlimited, customer)).toEqual({ calls: 10, holds: 10 });
  });

  test("200 concurrent requests without limits hold exactly the available credit", async () => {
    const quote = quoteOf(unlimited, LONDON);
    const creditMicros = minimumHold(quote) * 10n;
    const customer = await unlimited.customer({ creditMicros });
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => initiate(unlimited, customer, { destination_number: LONDON })),
    );
    const made = answers.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThan(0);
    // On a very busy machine, requests that wait too long for the database get 503.
    expect(answers.filter(({ status }) => status === 402 || status === 503)).toHaveLength(200 - made.length);
    const held = made.reduce((sum, { body }) => sum + toMicros(body.call), 0n);
    const money = await unlimited.money(customer);
    expect(money.heldMicros).toBe(held);
    expect(money.availableMicros).toBeGreaterThanOrEqual(0n);
    expect(money.availableMicros).toBeLessThan(minimumHold(quote));
    expect(await rowsOf(unlimited, customer)).toEqual({ calls: made.length, holds: made.length });
  });
});

describe("a quote", () => {
  const quote = (customer: Customer, number = LONDON) =>
    world.request<CallQuoteResponse & ErrorBody>(customer, {
      method: "POST",
      path: "/api/calls/quote",
      body: { destination_number: number },
    });

  test("returns the same maximum length as the call gets, and holds nothing", async () => {
    const customer = await world.customer({ creditMicros: chargeFor(90, quoteOf(world, LONDON)) });
    const { status, body } = await quote(customer);
    expect([status, body.refusal]).toEqual([200, null]);
    expect(await rowsOf(world, customer)).toEqual({ calls: 0, holds: 0 });
    expect((await world.initiate(customer)).call.max_seconds).toBe(body.max_seconds);
  });

  test("returns the same refusal as the call gets, with the same message", async () => {
    const busy = await world.customer();
    await world.initiate(busy);
    for (const customer of [busy, await world.customer({ creditMicros: 1n }), await world.customer({ status: "frozen" })]) {
      const { body } = await quote(customer);
      const refused = await initiate(world, customer, { destination_number: LONDON });
      expect(body).toMatchObject({
        price: { number: LONDON },
        max_seconds: null,
        refusal: { code: refused.body.code, message: refused.body.message },
      });
    }
    expect((await quote(busy, "+1911")).body.code).toBe("emergency_number");
  });
});

function toMicros(call: Call): bigint {
  const [wholeDollars = "0", fraction = ""] = call.held.split(".");
  return BigInt(wholeDollars) * 1_000_000n + BigInt(fraction.padEnd(6, "0"));
}
