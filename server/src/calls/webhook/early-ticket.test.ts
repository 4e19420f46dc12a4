import { sql } from "kysely";
import type { InitiateResponse } from "@farline/contract/calls.ts";
import { randomBytes, randomUUID } from "node:crypto";
import type { CompiledQuery } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createCallWorld, LONDON, type CallWorld } from "../../../test/worlds/call-world.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { ticketHash } from "../record/call-secrets.ts";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());
beforeEach(() => {
  world.provider.calmDown();
  world.provider.commands.length = 0;
});

const drawTicket = () => randomBytes(32).toString("base64url");

function ask(customer: Customer, ticket: string, more: { key?: string; number?: string } = {}) {
  return world.request<InitiateResponse & { code?: string }>(customer, {
    method: "POST",
    path: "/api/calls/initiate",
    body: { destination_number: more.number ?? LONDON, ticket },
    headers: more.key === undefined ? {} : { "idempotency-key": more.key },
  });
}

/** A leg of a page that dials with this ticket. `delivered` resolves when the service is done with it, long after `acknowledged`. */
function startLeg(ticket: string, { to = LONDON, payload = {} }: { to?: string; payload?: Record<string, unknown> } = {}) {
  const parked = `v3:${randomUUID()}`;
  world.provider.legs.set(parked, { alive: true, endedAt: null });
  const clientState = Buffer.from(ticket).toString("base64");
  const acknowledged = world.deliver({
    type: "call.initiated",
    id: randomUUID(),
    callControlId: parked,
    occurredAt: world.clock.now(),
    payload: { state: "parked", call_session_id: randomUUID(), client_state: clientState, to, ...payload },
  });
  const delivered = acknowledged.then(async (status) => {
    await world.ctx.earlyLegs.settled();
    return status;
  });
  return { parked, acknowledged, delivered, isAlive: () => world.provider.legs.get(parked)?.alive === true };
}

/** Delivers a leg and returns once the service waits for its ticket. */
async function parkEarly(ticket: string) {
  const leg = startLeg(ticket);
  await expect.poll(() => world.ctx.earlyLegs.isExpected(ticketHash(ticket))).toBe(true);
  return leg;
}

const transfers = () => world.provider.commandsOf("transfer").length;

async function countCalls(customer: Customer): Promise<number> {
  const { rows } = await sql<any>`select from call where customer_id = ${customer.id}`.execute(world.database.handle.db);
  return rows.length;
}

describe("a leg that arrives before its call is written", () => {
  test("is dialled once the call is authorised, and not before", async () => {
    const [customer, ticket] = [await world.customer(), drawTicket()];
    const leg = await parkEarly(ticket);
    expect(transfers()).toBe(0);
    const answer = await ask(customer, ticket);
    expect(answer).toMatchObject({ status: 201, body: { ticket } });
    expect(await leg.delivered).toBe(200);
    expect(transfers()).toBe(1);
    expect(world.provider.commandsOf("hangup")).toHaveLength(0);
  });

  test("is dialled when the call is written between two looks for its ticket", async () => {
    const [customer, ticket] = [await world.customer(), drawTicket()];
    const { db } = world.ctx.handle;
    const execute = db.executeQuery.bind(db);
    let isFirst = true;
    const lookThenWrite = vi.spyOn(db, "executeQuery").mockImplementation(async (query) => {
      const found = await execute<never>(query);
      if (isFirst && (query as CompiledQuery).sql.startsWith("with redeemed")) {
        isFirst = false;
        expect((await ask(customer, ticket)).status).toBe(201);
      }
      return found;
    });
    const leg = startLeg(ticket);
    expect(await leg.delivered).toBe(200);
    lookThenWrite.mockRestore();
    expect(isFirst).toBe(false);
    expect(world.provider.commandsOf("hangup")).toHaveLength(0);
    expect(transfers()).toBe(1);
  });

  test("is dialled when another instance of the service authorises the call", async () => {
    const [customer, ticket] = [await world.customer(), drawTicket()];
    const leg = await parkEarly(ticket);
    const decided = world.ctx.earlyLegs.decided.bind(world.ctx.earlyLegs);
    world.ctx.earlyLegs.decided = () => undefined;
    expect((await ask(customer, ticket)).status).toBe(201);
    world.ctx.earlyLegs.decided = decided;
    expect(await leg.delivered).toBe(200);
    expect(transfers()).toBe(1);
  });

  test("is ended at once when the call is refused", async () => {
    const [poor, ticket] = [await world.customer({ creditMicros: 0n }), drawTicket()];
    const leg = await parkEarly(ticket);
    const began = performance.now();
    expect(await ask(poor, ticket)).toMatchObject({ status: 402, body: { code: "insufficient_credit" } });
    await leg.delivered;
    expect(performance.now() - began, "milliseconds").toBeLessThan(1_000);
    expect(leg.isAlive()).toBe(false);
    expect(transfers()).toBe(0);
  });

  test("is acknowledged before its ticket is known, so that no connection waits with it", async () => {
    const legs = Array.from({ length: 40 }, () => ({ ticket: drawTicket() })).map(({ ticket }) => ({
      ticket,
      leg: startLeg(ticket),
    }));
    expect(await Promise.all(legs.map(({ leg }) => leg.acknowledged))).toEqual(legs.map(() => 200));
    expect(legs.some(({ ticket }) => world.ctx.earlyLegs.isExpected(ticketHash(ticket)))).toBe(true);
    await Promise.all(legs.map(({ leg }) => leg.delivered));
    expect(legs.filter(({ leg }) => leg.isAlive())).toEqual([]);
  });

  test("is ended when nobody asks for its call, and nothing is kept of it", async () => {
    const ticket = drawTicket();
    const leg = startLeg(ticket);
    expect(await leg.delivered).toBe(200);
    expect(leg.isAlive()).toBe(false);
    expect(world.ctx.earlyLegs.isExpected(ticketHash(ticket))).toBe(false);
    expect(transfers()).toBe(0);
  });

  test("is ended when it dials another number than the one that is authorised", async () => {
    const [customer, ticket] = [await world.customer(), drawTicket()];
    const leg = startLeg(ticket, { to: "+442079460999" });
    await expect.poll(() => world.ctx.earlyLegs.isExpected(ticketHash(ticket))).toBe(true);
    await ask(customer, ticket);
    await leg.delivered;
    expect([leg.isAlive(), transfers()]).toEqual([false, 0]);
  });

  test("is ended when it is signed in as another customer than the ticket's", async () => {
    const [customer, thief, ticket] = [await world.customer(), await world.customer(), drawTicket()];
    await sql`insert into voice_credential (provider_id, customer_id, sip_username, expires_at, created_at) values (${`gencred${thief.id}`}, ${thief.id}, ${`gencred${thief.id}`}, now() + interval '1 day', now())`.execute(
      world.database.handle.db,
    );
    const leg = startLeg(ticket, { payload: { from_sip_uri: `sip:gencred${thief.id}@example.com` } });
    await expect.poll(() => world.ctx.earlyLegs.isExpected(ticketHash(ticket))).toBe(true);
    expect((await ask(customer, ticket)).status).toBe(201);
    await leg.delivered;
    expect([leg.isAlive(), transfers()]).toEqual([false, 0]);
  });

  test("is one of two with the ticket: one is dialled, the other ended", async () => {
    const [customer, ticket] = [await world.customer(), drawTicket()];
    const legs = [await parkEarly(ticket), startLeg(ticket)];
    await ask(customer, ticket);
    await Promise.all(legs.map(({ delivered }) => delivered));
    expect(legs.filter((leg) => leg.isAlive())).toHaveLength(1);
    expect(transfers()).toBe(1);
  });

  test("is the only one dialled of 50 legs that race the authorisation", async () => {
    const [customer, ticket] = [await world.customer(), drawTicket()];
    const before = Array.from({ length: 25 }, () => startLeg(ticket));
    const asked = ask(customer, ticket);
    const legs = [...before, ...Array.from({ length: 25 }, () => startLeg(ticket))];
    expect((await asked).status).toBe(201);
    await Promise.all(legs.map(({ delivered }) => delivered));
    expect(legs.filter((leg) => leg.isAlive())).toHaveLength(1);
    expect(transfers()).toBe(1);
  });
});

describe("a ticket", () => {
  test("opens one call only: the second is refused, for its customer and for others, and holds nothing", async () => {
    const [customer, other, ticket] = [await world.customer(), await world.customer(), drawTicket()];
    expect((await ask(customer, ticket)).status).toBe(201);
    for (const one of [customer, other])
      expect(await ask(one, ticket)).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect((await world.money(other)).heldMicros).toBe(0n);
    expect([await countCalls(customer), await countCalls(other)]).toEqual([1, 0]);
  });

  test("opens one call when 50 requests of different customers race with it", async () => {
    const customers = await Promise.all(Array.from({ length: 50 }, () => world.customer()));
    const ticket = drawTicket();
    const answers = await Promise.all(customers.map((customer) => ask(customer, ticket)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
    const held = await Promise.all(customers.map(async (customer) => (await world.money(customer)).heldMicros));
    expect(held.filter((micros) => micros > 0n)).toHaveLength(1);
  });

  test("is returned again with the same idempotency key, and refused with another ticket under that key", async () => {
    const [customer, ticket, key] = [await world.customer(), drawTicket(), randomUUID()];
    const [first, again] = await Promise.all([ask(customer, ticket, { key }), ask(customer, ticket, { key })]);
    expect(again.body).toMatchObject({ ticket, call: { id: first.body.call.id } });
    expect((await ask(customer, drawTicket(), { key })).status).toBe(409);
    expect(await countCalls(customer)).toBe(1);
  });

  test("of an ended call dials nothing, however late its leg arrives, and opens no other call", async () => {
    const [customer, ticket] = [await world.customer(), drawTicket()];
    const { body } = await ask(customer, ticket);
    await world.request(customer, { method: "POST", path: `/api/calls/${body.call.id}/hangup` });
    const leg = startLeg(ticket);
    await leg.delivered;
    expect([leg.isAlive(), transfers()]).toEqual([false, 0]);
    expect((await ask(customer, ticket)).status).toBe(409);
  });

  test("hangs its call up for a closing page, and no other call", async () => {
    const [customer, ticket] = [await world.customer(), drawTicket()];
    const { body } = await ask(customer, ticket);
    const hangUp = (given: string) =>
      world.request(null, { method: "POST", path: `/api/calls/${body.call.id}/hangup`, body: { ticket: given } });
    expect((await hangUp(drawTicket())).status).toBe(404);
    expect((await hangUp(ticket)).status).toBe(200);
  });

  test.each(["", "short", "!".repeat(43), "A".repeat(44)])("of another form is refused (%j)", async (ticket) => {
    expect((await ask(await world.customer(), ticket)).status).toBe(422);
  });

  test("is drawn by the service for a page that brings none, the same for the same idempotency key", async () => {
    const [customer, key] = [await world.customer(), randomUUID()];
    const bare = () =>
      world.request<InitiateResponse>(customer, {
        method: "POST",
        path: "/api/calls/initiate",
        body: { destination_number: LONDON },
        headers: { "idempotency-key": key },
      });
    const [first, again] = [await bare(), await bare()];
    expect(again.body.ticket).toBe(first.body.ticket);
    await world.park(first.body);
    expect(transfers()).toBe(1);
  });
});
