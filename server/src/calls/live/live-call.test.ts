import { sql } from "kysely";
import type { EchoTestResponse, InitiateResponse, LiveCallResponse } from "@farline/contract/calls.ts";
import type { ErrorBody } from "@farline/contract/errors.ts";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCallWorld, LONDON, type CallWorld, changePrices } from "../../../test/worlds/call-world.ts";
import { passTime, startRunningCall } from "../../../test/running-call.ts";
import type { Customer } from "../../accounts/accounts.ts";

/** The service asks for the provider's commands again after this. */
const CONNECTION_CACHE_MS = 5 * 60_000;

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld();
});
afterAll(() => world.close());
beforeEach(() => world.provider.calmDown());

const live = async (customer: Customer) => (await world.request<LiveCallResponse>(customer, { path: "/api/calls/live" })).body;

const initiate = (customer: Customer) =>
  world.request<InitiateResponse & ErrorBody>(customer, {
    method: "POST",
    path: "/api/calls/initiate",
    body: { destination_number: LONDON },
  });

/** Freezes the account like an operator or a dispute. */
async function freeze(customer: Customer): Promise<void> {
  await sql`update customer set status = 'frozen' where id = ${customer.id}`.execute(world.database.handle.db);
}

describe("GET /api/calls/live", () => {
  test("returns the running call and whether a page may rejoin it", async () => {
    const customer = await world.customer();
    expect(await live(customer)).toEqual({ call: null, rejoinable: false, line_id: null, now: world.clock.now().toISOString() });
    const started = await world.initiate(customer);
    expect(await live(customer)).toMatchObject({ call: { id: started.call.id, status: "initiated" }, rejoinable: false });
    await world.park(started);
    expect(await live(customer)).toMatchObject({ call: { id: started.call.id }, rejoinable: true });
    expect((await live(await world.customer())).call).toBeNull();
  });

  test("returns a hung-up call as not rejoinable, and nothing once it is settled", async () => {
    const call = await startRunningCall(world);
    const hung = await world.request(call.customer, { method: "POST", path: `/api/calls/${call.id}/hangup` });
    expect(hung.status).toBe(200);
    expect(await live(call.customer)).toMatchObject({ call: { id: call.id }, rejoinable: false });
    await call.end(10_000);
    expect((await live(call.customer)).call).toBeNull();
  });
});

describe("POST /api/calls/:id/move", () => {
  const move = (customer: Customer, id: string, voiceSession: string) =>
    world.request<ErrorBody>(customer, { method: "POST", path: `/api/calls/${id}/move`, body: { voice_session: voiceSession } });

  test("hands the leg over at the provider, whose page knows the leg's id", async () => {
    world.provider.extraCommands.push("move");
    world.clock.advance(CONNECTION_CACHE_MS);
    const call = await startRunningCall(world);
    const [lineId, voiceSession] = [randomUUID(), randomUUID()];
    const hints = { telnyx_leg_id: null, telnyx_session_id: null, call_id: lineId };
    await world.request(call.customer, { method: "PATCH", path: `/api/calls/${call.id}/control-id`, body: hints });
    expect(await live(call.customer)).toMatchObject({ call: { id: call.id }, line_id: lineId });
    expect((await move(call.customer, call.id, voiceSession)).status).toBe(200);
    expect(world.provider.commandsOf("move")).toMatchObject([{ body: { session: voiceSession } }]);
    expect((await move(await world.customer(), call.id, voiceSession)).status).toBe(404);
    await call.end(10_000);
    expect((await move(call.customer, call.id, voiceSession)).body).toMatchObject({
      code: "conflict",
      reason: "call_not_movable",
    });
    expect(world.provider.commandsOf("move")).toHaveLength(1);
  });

  test("is refused where the provider cannot move calls, which pages are told", async () => {
    world.clock.advance(CONNECTION_CACHE_MS);
    const call = await startRunningCall(world);
    expect(await live(call.customer)).toMatchObject({ call: { id: call.id }, line_id: null });
    expect((await move(call.customer, call.id, randomUUID())).status).toBe(409);
    expect(world.provider.commandsOf("move")).toEqual([]);
    await call.end(10_000);
  });
});

test("of two tabs that call at once, the first gets the call and the second is refused", async () => {
  const customer = await world.customer();
  await world.database.warmUp();
  const answers = await Promise.all([initiate(customer), initiate(customer)]);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  const refused = answers.find(({ status }) => status === 409);
  expect(refused?.body).toMatchObject({ code: "too_many_live_calls", message: "You already have a call. End it first." });
  const made = answers.find(({ status }) => status === 201);
  expect(await live(customer)).toMatchObject({ call: { id: made?.body.call.id } });
});

describe("a page that closes", () => {
  const beacon = (id: string, ticket: string) =>
    world.request<ErrorBody>(null, { method: "POST", path: `/api/calls/${id}/hangup`, body: { ticket } });

  test("can hang up with the ticket alone, which ends both legs and settles the call", async () => {
    const customer = await world.customer();
    const started = await world.initiate(customer);
    const leg = await world.park(started);
    expect((await beacon(started.call.id, started.ticket)).status).toBe(200);
    expect(world.provider.legs.get(leg.parked)?.alive).toBe(false);
    await passTime(world, 15);
    expect(await world.readCall(customer, started.call.id)).toMatchObject({ status: "failed", cost: "0.00" });
    expect((await world.money(customer)).heldMicros).toBe(0n);
  });

  test("before dialling releases the hold immediately", async () => {
    const customer = await world.customer();
    const started = await world.initiate(customer);
    await beacon(started.call.id, started.ticket);
    expect((await world.money(customer)).heldMicros).toBe(0n);
    expect((await beacon(started.call.id, started.ticket)).status).toBe(200);
  });

  test("cannot hang up another call, nor learn whether a guessed id exists", async () => {
    const [mine, other] = [await world.initiate(await world.customer()), await world.initiate(await world.customer())];
    for (const [id, ticket] of [
      [other.call.id, mine.ticket],
      [mine.call.id, mine.ticket.slice(0, -1) + (mine.ticket.endsWith("A") ? "B" : "A")],
      [randomUUID(), mine.ticket],
    ] as const)
      expect(await beacon(id, ticket)).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect((await beacon(mine.call.id, "short")).status).toBe(422);
    expect((await world.request(null, { method: "POST", path: `/api/calls/${mine.call.id}/hangup` })).status).toBe(401);
  });
});

describe("simultaneous hang-ups", () => {
  test("by both sides both succeed and settle the call once", async () => {
    const call = await startRunningCall(world);
    const path = `/api/calls/${call.id}/hangup`;
    const hangUp = () => world.request(call.customer, { method: "POST", path });
    const [first, second] = await Promise.all([hangUp(), hangUp(), call.end(61_000)]);
    expect([first.status, second.status]).toEqual([200, 200]);
    const record = await world.readCall(call.customer, call.id);
    expect(record).toMatchObject({ status: "completed", billed_seconds: 61 });
    const { rows } = await world.ctx.ledger.transactions(world.database.handle.db, call.customer.id, { limit: 10 });
    expect(rows.filter(({ kind }) => kind === "call")).toHaveLength(1);
    expect((await world.money(call.customer)).heldMicros).toBe(0n);
  });
});

describe("F35: a freeze during a call", () => {
  test("ends the call within ten seconds, charges the talk time and records the reason", async () => {
    const call = await startRunningCall(world);
    world.clock.advance(5_000);
    await freeze(call.customer);
    await world.sweep();
    expect(world.provider.legs.get(call.leg.far)?.alive).toBe(false);
    expect(world.provider.legs.get(call.leg.parked)?.alive).toBe(false);
    await call.end(5_000, { source: "caller" });
    expect(await world.readCall(call.customer, call.id)).toMatchObject({
      status: "completed",
      end_reason: "refused",
      billed_seconds: 5,
    });
    expect((await world.money(call.customer)).heldMicros).toBe(0n);
  });

  test("before the browser has dialled ends the call and refuses its leg", async () => {
    const customer = await world.customer();
    const started = await world.initiate(customer);
    await freeze(customer);
    const leg = await world.park(started);
    expect(world.provider.commandsOf("transfer")).toHaveLength(0);
    expect(world.provider.legs.get(leg.parked)?.alive).toBe(false);
    await passTime(world, 5);
    expect(await world.readCall(customer, started.call.id)).toMatchObject({ status: "failed", end_reason: "refused" });
    expect((await world.money(customer)).heldMicros).toBe(0n);
  });

  test("is repeated while the provider is unreachable", async () => {
    const call = await startRunningCall(world);
    await freeze(call.customer);
    world.provider.failure = { status: 503 };
    await passTime(world, 2);
    expect(world.provider.legs.get(call.leg.far)?.alive).toBe(true);
    world.provider.failure = null;
    await passTime(world, 15);
    expect(world.provider.legs.get(call.leg.far)?.alive).toBe(false);
  });
});

describe("live hints", () => {
  test("are sent for every step of a call and every change of its hold", async () => {
    const customer = await world.customer();
    const hints = world.hintsFor(customer);
    const call = await startRunningCall(world, { customer });
    await call.end(30_000);
    const steps = hints.flatMap((hint) => (hint.type === "call" ? [hint.status] : []));
    expect(steps).toEqual(["initiated", "ringing", "in-progress", "completed"]);
    expect(hints.filter(({ type }) => type === "balance")).toHaveLength(2);
    expect(hints.filter(({ type }) => type === "transactions")).toHaveLength(1);
  });

  test("warn once 60 seconds and once 15 seconds before the end", async () => {
    const call = await startRunningCall(world, { creditMicros: 15_000n });
    const { max_seconds } = await world.readCall(call.customer, call.id);
    const hints = world.hintsFor(call.customer);
    const warnings = () => hints.flatMap((hint) => (hint.type === "call_warning" ? [hint.seconds_left] : []));
    await passTime(world, max_seconds - 62);
    expect(warnings()).toEqual([]);
    await passTime(world, 4);
    expect(warnings()).toEqual([60]);
    await passTime(world, 40);
    expect(warnings()).toEqual([60]);
    await passTime(world, 10);
    expect(warnings()).toEqual([60, 15]);
  });
});

describe("the free echo test", () => {
  const allow = (customer: Customer) =>
    world.request<EchoTestResponse & ErrorBody>(customer, { method: "POST", path: "/api/calls/echo-test" });

  /** Dials the echo with its ticket. @returns the leg's ids, and a function that delivers its events */
  async function dialEcho(ticket: string, overrides: { to?: string; from?: string } = {}) {
    const leg = `v3:${randomUUID()}`;
    world.provider.legs.set(leg, { alive: true, endedAt: null });
    const event = (type: string, payload: Record<string, unknown>) =>
      world.deliver({ type, callControlId: leg, occurredAt: world.clock.now(), payload });
    const park = () =>
      event("call.initiated", {
        state: "parked",
        client_state: Buffer.from(ticket).toString("base64"),
        to: overrides.to ?? "echo",
        ...(overrides.from === undefined ? {} : { from: overrides.from }),
      });
    await park();
    await world.ctx.earlyLegs.settled();
    return { leg, park, event, alive: () => world.provider.legs.get(leg)?.alive };
  }
  const echoes = (leg: string) => world.provider.commandsOf("echo").filter(({ path }) => path.includes(leg));

  test("is answered by the exchange without a hold, a carrier or a charge", async () => {
    const customer = await world.customer({ creditMicros: 0n });
    const { status, body } = await allow(customer);
    expect(status).toBe(201);
    expect(body).toMatchObject({ destination_number: "echo", max_seconds: 30 });
    const { leg, event, alive } = await dialEcho(body.ticket);
    expect(echoes(leg)[0]?.body).toMatchObject({ time_limit_secs: 30 });
    await event("call.answered", {});
    expect(alive()).toBe(true);
    await event("call.hangup", { hangup_cause: "time_limit" });
    expect(world.provider.commandsOf("transfer")).toHaveLength(0);
    expect((await live(customer)).call).toBeNull();
    expect(await world.money(customer)).toMatchObject({ balanceMicros: 0n, heldMicros: 0n });
  });

  test("accepts each ticket once and tolerates repeated events of the same leg", async () => {
    const { body } = await allow(await world.customer());
    const first = await dialEcho(body.ticket);
    await first.park();
    expect(first.alive()).toBe(true);
    const second = await dialEcho(body.ticket);
    expect(second.alive()).toBe(false);
    expect(echoes(second.leg)).toHaveLength(0);
  });

  test("refuses call tickets, expired tickets and tickets of frozen accounts", async () => {
    const customer = await world.customer();
    const { ticket } = await world.initiate(customer);
    expect((await dialEcho(ticket)).alive()).toBe(false);
    const frozen = await world.customer();
    const { body } = await allow(frozen);
    await freeze(frozen);
    expect((await dialEcho(body.ticket)).alive()).toBe(false);
    const late = await allow(await world.customer());
    world.clock.advance(61_000);
    expect((await dialEcho(late.body.ticket)).alive()).toBe(false);
    expect(world.provider.commandsOf("echo")).toHaveLength(0);
  });

  test("has a ticket that cannot dial a number", async () => {
    const { body } = await allow(await world.customer());
    expect((await dialEcho(body.ticket, { to: LONDON })).alive()).toBe(false);
    expect(world.provider.commandsOf("transfer")).toHaveLength(0);
  });

  test("is limited to ten per hour", async () => {
    const customer = await world.customer();
    for (let n = 0; n < 10; n++) expect((await allow(customer)).status).toBe(201);
    const refused = await allow(customer);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect((await allow(await world.customer())).status).toBe(201);
  });
});

test("F21: a new deck during a call applies only to the next call", async () => {
  const call = await startRunningCall(world);
  const before = await world.readCall(call.customer, call.id);
  const deckId = await changePrices(world, "rate_per_minute_micros = rate_per_minute_micros * 2");
  await call.end(60_000);
  const after = await world.readCall(call.customer, call.id);
  expect(after).toMatchObject({ status: "completed", deck_id: before.deck_id, rate_per_minute: before.rate_per_minute });
  expect(Number(after.cost)).toBe(Number(before.rate_per_minute));
  const next = await world.initiate(call.customer);
  expect(next.call.deck_id).toBe(deckId);
  expect(Number(next.call.rate_per_minute)).toBe(Number(before.rate_per_minute) * 2);
});
