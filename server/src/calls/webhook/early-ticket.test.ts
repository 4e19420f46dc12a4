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

const newTicket = () => randomBytes(32).toString("base64url");

function initiate(customer: Customer, ticket: string, options: { key?: string; number?: string } = {}) {
  return world.request<InitiateResponse & { code?: string }>(customer, {
    method: "POST",
    path: "/api/calls/initiate",
    body: { destination_number: options.number ?? LONDON, ticket },
    headers: options.key === undefined ? {} : { "idempotency-key": options.key },
  });
}

/** Starts a leg that dials with this ticket. `delivered` resolves when the service has handled it, long after `acknowledged`. */
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

/** Starts a leg and returns once the service is waiting for its ticket. */
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
  test("is dialled only after the call is authorised", async () => {
    const [customer, ticket] = [await world.customer(), newTicket()];
    const leg = await parkEarly(ticket);
    expect(transfers()).toBe(0);
    const answer = await initiate(customer, ticket);
    expect(answer).toMatchObject({ status: 201, body: { ticket } });
    expect(await leg.delivered).toBe(200);
    expect(transfers()).toBe(1);
    expect(world.provider.commandsOf("hangup")).toHaveLength(0);
  });

  test("is dialled if the call is written between two lookups of its ticket", async () => {
    const [customer, ticket] = [await world.customer(), newTicket()];
    const { db } = world.ctx.handle;
    const execute = db.executeQuery.bind(db);
    let isFirst = true;
    const initiateBetweenReads = vi.spyOn(db, "executeQuery").mockImplementation(async (query) => {
      const found = await execute<never>(query);
      if (isFirst && (query as CompiledQuery).sql.startsWith("with redeemed")) {
        isFirst = false;
        expect((await initiate(customer, ticket)).status).toBe(201);
      }
      return found;
    });
    const leg = startLeg(ticket);
    expect(await leg.delivered).toBe(200);
    initiateBetweenReads.mockRestore();
    expect(isFirst).toBe(false);
    expect(world.provider.commandsOf("hangup")).toHaveLength(0);
    expect(transfers()).toBe(1);
  });

  test("is dialled if another instance of the service authorises the call", async () => {
    const [customer, ticket] = [await world.customer(), newTicket()];
    const leg = await parkEarly(ticket);
    const decided = world.ctx.earlyLegs.decided.bind(world.ctx.earlyLegs);
    world.ctx.earlyLegs.decided = () => undefined;
    expect((await initiate(customer, ticket)).status).toBe(201);
    world.ctx.earlyLegs.decided = decided;
    expect(await leg.delivered).toBe(200);
    expect(transfers()).toBe(1);
  });

  test("is hung up immediately when the call is refused", async () => {
    const [poor, ticket] = [await world.customer({ creditMicros: 0n }), newTicket()];
    const leg = await parkEarly(ticket);
    // Only the decision ends the wait.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    expect(await initiate(poor, ticket)).toMatchObject({ status: 402, body: { code: "insufficient_credit" } });
    await leg.delivered;
    vi.useRealTimers();
    expect(leg.isAlive()).toBe(false);
    expect(transfers()).toBe(0);
  });

  test("has its event acknowledged before its ticket is known, so that no connection stays open", async () => {
    const legs = Array.from({ length: 40 }, () => ({ ticket: newTicket() })).map(({ ticket }) => ({
      ticket,
      leg: startLeg(ticket),
    }));
    expect(await Promise.all(legs.map(({ leg }) => leg.acknowledged))).toEqual(legs.map(() => 200));
    expect(legs.some(({ ticket }) => world.ctx.earlyLegs.isExpected(ticketHash(ticket)))).toBe(true);
    await Promise.all(legs.map(({ leg }) => leg.delivered));
    expect(legs.filter(({ leg }) => leg.isAlive())).toEqual([]);
  });

  test("is hung up and forgotten if its call is never requested", async () => {
    const ticket = newTicket();
    const leg = startLeg(ticket);
    expect(await leg.delivered).toBe(200);
    expect(leg.isAlive()).toBe(false);
    expect(world.ctx.earlyLegs.isExpected(ticketHash(ticket))).toBe(false);
    expect(transfers()).toBe(0);
  });

  test("is hung up if it dials a number other than the authorised one", async () => {
    const [customer, ticket] = [await world.customer(), newTicket()];
    const leg = startLeg(ticket, { to: "+442079460999" });
    await expect.poll(() => world.ctx.earlyLegs.isExpected(ticketHash(ticket))).toBe(true);
    await initiate(customer, ticket);
    await leg.delivered;
    expect([leg.isAlive(), transfers()]).toEqual([false, 0]);
  });

  test("is hung up if it is signed in as a customer other than the ticket's", async () => {
    const [customer, otherCustomer, ticket] = [await world.customer(), await world.customer(), newTicket()];
    await sql`insert into voice_credential (provider_id, customer_id, sip_username, expires_at, created_at) values (${`gencred${otherCustomer.id}`}, ${otherCustomer.id}, ${`gencred${otherCustomer.id}`}, now() + interval '1 day', now())`.execute(
      world.database.handle.db,
    );
    const leg = startLeg(ticket, { payload: { from_sip_uri: `sip:gencred${otherCustomer.id}@example.com` } });
    await expect.poll(() => world.ctx.earlyLegs.isExpected(ticketHash(ticket))).toBe(true);
    expect((await initiate(customer, ticket)).status).toBe(201);
    await leg.delivered;
    expect([leg.isAlive(), transfers()]).toEqual([false, 0]);
  });

  test("competes with a second leg with the same ticket: one is dialled, the other hung up", async () => {
    const [customer, ticket] = [await world.customer(), newTicket()];
    const legs = [await parkEarly(ticket), startLeg(ticket)];
    await initiate(customer, ticket);
    await Promise.all(legs.map(({ delivered }) => delivered));
    expect(legs.filter((leg) => leg.isAlive())).toHaveLength(1);
    expect(transfers()).toBe(1);
  });

  test("competes with 50 legs that race the authorisation, of which exactly one is dialled", async () => {
    const [customer, ticket] = [await world.customer(), newTicket()];
    const before = Array.from({ length: 25 }, () => startLeg(ticket));
    const initiated = initiate(customer, ticket);
    const legs = [...before, ...Array.from({ length: 25 }, () => startLeg(ticket))];
    expect((await initiated).status).toBe(201);
    await Promise.all(legs.map(({ delivered }) => delivered));
    expect(legs.filter((leg) => leg.isAlive())).toHaveLength(1);
    expect(transfers()).toBe(1);
  });
});

describe("a call's ticket", () => {
  test("opens only one call: a second request by the same or another customer is refused and holds nothing", async () => {
    const [customer, other, ticket] = [await world.customer(), await world.customer(), newTicket()];
    expect((await initiate(customer, ticket)).status).toBe(201);
    for (const one of [customer, other])
      expect(await initiate(one, ticket)).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect((await world.money(other)).heldMicros).toBe(0n);
    expect([await countCalls(customer), await countCalls(other)]).toEqual([1, 0]);
  });

  test("opens only one call when 50 customers send it concurrently", async () => {
    const customers = await Promise.all(Array.from({ length: 50 }, () => world.customer()));
    const ticket = newTicket();
    const answers = await Promise.all(customers.map((customer) => initiate(customer, ticket)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
    const held = await Promise.all(customers.map(async (customer) => (await world.money(customer)).heldMicros));
    expect(held.filter((micros) => micros > 0n)).toHaveLength(1);
  });

  test("is returned again for the same idempotency key; another ticket with that key is refused", async () => {
    const [customer, ticket, key] = [await world.customer(), newTicket(), randomUUID()];
    const [first, again] = await Promise.all([initiate(customer, ticket, { key }), initiate(customer, ticket, { key })]);
    expect(again.body).toMatchObject({ ticket, call: { id: first.body.call.id } });
    expect((await initiate(customer, newTicket(), { key })).status).toBe(409);
    expect(await countCalls(customer)).toBe(1);
  });

  test("of an ended call can neither dial nor open another call", async () => {
    const [customer, ticket] = [await world.customer(), newTicket()];
    const { body } = await initiate(customer, ticket);
    await world.request(customer, { method: "POST", path: `/api/calls/${body.call.id}/hangup` });
    const leg = startLeg(ticket);
    await leg.delivered;
    expect([leg.isAlive(), transfers()]).toEqual([false, 0]);
    expect((await initiate(customer, ticket)).status).toBe(409);
  });

  test("hangs up its own call for a closing page, and no other ticket does", async () => {
    const [customer, ticket] = [await world.customer(), newTicket()];
    const { body } = await initiate(customer, ticket);
    const hangUp = (given: string) =>
      world.request(null, { method: "POST", path: `/api/calls/${body.call.id}/hangup`, body: { ticket: given } });
    expect((await hangUp(newTicket())).status).toBe(404);
    expect((await hangUp(ticket)).status).toBe(200);
  });

  test.each(["", "short", "!".repeat(43), "A".repeat(44)])("is refused if malformed (%j)", async (ticket) => {
    expect((await initiate(await world.customer(), ticket)).status).toBe(422);
  });

  test("is generated by the service if the page sends none, and is the same for the same idempotency key", async () => {
    const [customer, key] = [await world.customer(), randomUUID()];
    const initiateWithoutTicket = () =>
      world.request<InitiateResponse>(customer, {
        method: "POST",
        path: "/api/calls/initiate",
        body: { destination_number: LONDON },
        headers: { "idempotency-key": key },
      });
    const [first, again] = [await initiateWithoutTicket(), await initiateWithoutTicket()];
    expect(again.body.ticket).toBe(first.body.ticket);
    await world.park(first.body);
    expect(transfers()).toBe(1);
  });
});
