import { sql } from "kysely";
import { chargeFor } from "@farline/domain/calls/charge.ts";
import { toDecimalString } from "@farline/domain/money.ts";
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CALLER_NUMBER, createCallWorld, LONDON, type CallWorld, type ParkedLeg } from "../../../test/worlds/call-world.ts";
import { eventsOfCall } from "../../../test/worlds/events-of-call.ts";
import type { EventToSend } from "../../../test/fakes/scripted-telnyx.ts";
import type { Customer } from "../../accounts/accounts.ts";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());
beforeEach(() => world.provider.calmDown());

const eventsOf = (leg: ParkedLeg, talkMs: number) => eventsOfCall(world, leg, talkMs);
const later = (ms: number) => new Date(world.clock.now().getTime() + ms);

async function startedCall(): Promise<{ customer: Customer; leg: ParkedLeg; id: string }> {
  const customer = await world.customer();
  const started = await world.initiate(customer);
  const leg = await world.park(started);
  return { customer, leg, id: started.call.id };
}

async function ledgerLines(customer: Customer) {
  const { rows } = await world.ctx.ledger.transactions(world.database.handle.db, customer.id, { limit: 10 });
  return rows.filter(({ kind }) => kind === "call");
}

describe("a leg with a valid ticket", () => {
  test("is connected to the authorised number with a time limit that its hold pays for", async () => {
    const { customer, leg, id } = await startedCall();
    const [command] = world.provider.commandsOf("transfer");
    const call = await world.readCall(customer, id);
    expect(command?.body).toMatchObject({
      to: LONDON,
      from: CALLER_NUMBER,
      time_limit_secs: call.max_seconds,
      timeout_secs: 60,
      early_media: true,
    });
    // An attacker could use a guessable id before this command.
    expect(command?.body["command_id"]).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(call).toMatchObject({ status: "initiated", telnyx_call_control_id: leg.parked });
  });

  test("rings, is answered, and is charged an amount that can be recomputed", async () => {
    const { customer, leg, id } = await startedCall();
    const [ringing, answered, , , ...rest] = eventsOf(leg, 61_500);
    await world.deliver(ringing as EventToSend);
    expect(await world.readCall(customer, id)).toMatchObject({ status: "ringing" });
    await world.deliver(answered as EventToSend);
    expect(await world.readCall(customer, id)).toMatchObject({ status: "in-progress", cost: "0.00" });
    for (const event of rest) await world.deliver(event);
    const call = await world.readCall(customer, id);
    const quote = world.ctx.rates.quote(LONDON, "visitor");
    if (quote === null) throw new Error("no rate");
    const charge = chargeFor(call.billed_seconds, quote);
    expect(call).toMatchObject({
      status: "completed",
      end_reason: "hangup",
      hung_up_by: "callee",
      duration_seconds: 62,
      cost: toDecimalString(charge),
      telnyx_cost: "0.014",
    });
    expect(charge).toBe(chargeFor(62, quote));
    expect(await ledgerLines(customer)).toMatchObject([
      { amountMicros: -charge, referenceId: id, description: "Call to +44 20 7946 0000" },
    ]);
    expect(await world.money(customer)).toMatchObject({ balanceMicros: 5_000_000n - charge, heldMicros: 0n });
  });

  test("results in the same record and one charge for any order and repetition of events", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6], { minLength: 7 }),
        fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 7 }),
        async (order, again) => {
          const { customer, leg, id } = await startedCall();
          const events = eventsOf(leg, 30_000);
          for (const index of [...order, ...again]) expect(await world.deliver(events[index] as EventToSend)).toBe(200);
          const call = await world.readCall(customer, id);
          expect(call).toMatchObject({
            status: "completed",
            end_reason: "hangup",
            duration_seconds: 30,
            billed_seconds: 30,
            telnyx_cost: "0.014",
          });
          expect(call.answered_at).toBe(later(5_000).toISOString());
          expect(call.ended_at).toBe(later(35_000).toISOString());
          expect(await ledgerLines(customer)).toHaveLength(1);
          expect((await world.money(customer)).heldMicros).toBe(0n);
        },
      ),
      { numRuns: 25 },
    );
  });

  test("is settled once if all its events arrive concurrently, four times each", async () => {
    const { customer, leg, id } = await startedCall();
    const events = eventsOf(leg, 45_000);
    await Promise.all([...events, ...events, ...events, ...events].map((event) => world.deliver(event)));
    expect(await world.readCall(customer, id)).toMatchObject({ status: "completed", duration_seconds: 45 });
    expect(await ledgerLines(customer)).toHaveLength(1);
  });

  test("is handled correctly in a batch with other calls and a foreign leg, which is hung up", async () => {
    const calls = await Promise.all([startedCall(), startedCall(), startedCall()]);
    const talked = [20_000, 30_000, 40_000];
    const events = calls.map(({ leg }, index) => eventsOf(leg, talked[index] ?? 0));
    await Promise.all(events.map(([initiated]) => world.deliver(initiated as EventToSend)));
    const foreign = { ...(events[0]?.[1] as EventToSend), id: randomUUID(), callControlId: `v3:${randomUUID()}` };
    await Promise.all([...events.flatMap((ofOne) => ofOne.slice(1)), foreign].map((event) => world.deliver(event)));
    for (const [index, { customer, id }] of calls.entries()) {
      expect(await world.readCall(customer, id)).toMatchObject({
        status: "completed",
        duration_seconds: (talked[index] ?? 0) / 1_000,
      });
      expect(await ledgerLines(customer)).toHaveLength(1);
    }
    const ended = world.provider.commands.map(({ path }) => path).filter((path) => path.endsWith("/actions/hangup"));
    expect(ended).toContain(`/calls/${foreign.callControlId}/actions/hangup`);
  });

  test("is not charged and its hold is released if nobody answers", async () => {
    const { customer, leg, id } = await startedCall();
    const [ringing] = eventsOf(leg, 0);
    await world.deliver(ringing as EventToSend);
    const payload = { client_state: world.farState(leg.parked), hangup_cause: "user_busy", sip_hangup_cause: "486" };
    await world.deliver({ type: "call.hangup", callControlId: leg.far, occurredAt: later(3_000), payload });
    expect(await world.readCall(customer, id)).toMatchObject({
      status: "failed",
      end_reason: "busy",
      cost: "0.00",
      duration_seconds: 0,
    });
    expect(await world.money(customer)).toMatchObject({ balanceMicros: 5_000_000n, heldMicros: 0n });
    expect(await ledgerLines(customer)).toHaveLength(0);
  });

  test("costs at most its hold if the provider reports a longer call", async () => {
    const quote = world.ctx.rates.quote(LONDON, "visitor");
    if (quote === null) throw new Error("no rate");
    const creditMicros = chargeFor(75, quote);
    const customer = await world.customer({ creditMicros });
    const started = await world.initiate(customer);
    const leg = await world.park(started);
    for (const event of eventsOf(leg, 500_000)) await world.deliver(event);
    const call = await world.readCall(customer, started.call.id);
    expect(call.status).toBe("completed");
    expect(call.billed_seconds).toBe(call.max_seconds);
    expect(call.cost).toBe(toDecimalString(chargeFor(call.billed_seconds, quote)));
    expect((await world.money(customer)).balanceMicros).toBeGreaterThanOrEqual(0n);
  });

  test("is not changed by events after its settlement", async () => {
    const { customer, leg, id } = await startedCall();
    for (const event of eventsOf(leg, 10_000)) await world.deliver(event);
    const before = await world.readCall(customer, id);
    const payload = {
      client_state: world.farState(leg.parked),
      hangup_cause: "normal_clearing",
      end_time: later(900_000).toISOString(),
    };
    await world.deliver({ type: "call.answered", callControlId: leg.far, occurredAt: later(0), payload });
    await world.deliver({ type: "call.hangup", callControlId: leg.far, occurredAt: later(900_000), payload });
    expect(await world.readCall(customer, id)).toEqual(before);
    expect(await ledgerLines(customer)).toHaveLength(1);
  });
});

describe("a leg without a valid ticket is hung up and nothing is dialled for", () => {
  /** The leg commands that the provider received. */
  const commanded = () => world.provider.commands.map(({ path }) => path).filter((path) => path.includes("/actions/"));
  const onlyEnded = ({ parked }: ParkedLeg) => [`/calls/${parked}/actions/hangup`];

  test("a leg without a ticket", async () => {
    const started = await world.initiate(await world.customer());
    const leg = await world.park(started, { payload: { client_state: null } });
    expect(commanded()).toEqual(onlyEnded(leg));
  });

  test("a ticket that was never issued", async () => {
    const started = await world.initiate(await world.customer());
    const leg = await world.park({ ...started, ticket: "A".repeat(43) });
    expect(commanded()).toEqual(onlyEnded(leg));
  });

  test("a number other than the ticket's", async () => {
    const customer = await world.customer();
    const started = await world.initiate(customer);
    const leg = await world.park(started, { to: "+14155550123" });
    expect(commanded()).toEqual(onlyEnded(leg));
    const payload = {
      client_state: Buffer.from(started.ticket).toString("base64"),
      to: "+14155550123",
      hangup_cause: "normal_clearing",
    };
    await world.deliver({ type: "call.hangup", callControlId: leg.parked, occurredAt: later(100), payload });
    expect(await world.readCall(customer, started.call.id)).toMatchObject({ status: "initiated", telnyx_call_control_id: null });
  });

  test("a ticket that has expired", async () => {
    const started = await world.initiate(await world.customer());
    world.clock.advance(60_000);
    const leg = await world.park(started);
    expect(commanded()).toEqual(onlyEnded(leg));
  });

  test("a ticket of a call that was cancelled", async () => {
    const customer = await world.customer();
    const started = await world.initiate(customer);
    await world.request(customer, { method: "POST", path: `/api/calls/${started.call.id}/hangup` });
    const leg = await world.park(started);
    expect(commanded()).toEqual(onlyEnded(leg));
  });

  test("a used ticket, while the first leg continues", async () => {
    const customer = await world.customer();
    const started = await world.initiate(customer);
    const first = await world.park(started);
    world.provider.commands.length = 0;
    const leg = await world.park(started);
    expect(commanded()).toEqual(onlyEnded(leg));
    expect(await world.readCall(customer, started.call.id)).toMatchObject({ telnyx_call_control_id: first.parked });
  });

  test("the second of two concurrent legs with one ticket", async () => {
    const started = await world.initiate(await world.customer());
    await Promise.all([world.park(started), world.park(started), world.park(started)]);
    expect(world.provider.commandsOf("transfer")).toHaveLength(1);
    expect(world.provider.commandsOf("hangup")).toHaveLength(2);
  });

  test("a ticket used with another customer's credential", async () => {
    const [owner, thief] = [await world.customer(), await world.customer()];
    await world.request(thief, { path: "/api/calls/token" });
    const { rows } = await sql<{
      sip_username: string;
    }>`select sip_username from voice_credential where customer_id = ${thief.id}`.execute(world.database.handle.db);
    const started = await world.initiate(owner);
    world.provider.commands.length = 0;
    const leg = await world.park(started, { payload: { from: rows[0]?.sip_username } });
    expect(commanded()).toEqual(onlyEnded(leg));
  });
});

describe("a call cannot be changed by", () => {
  test("a leg that claims to be the far leg before that is known, because browsers choose their legs' state", async () => {
    const { customer, id } = await startedCall();
    const forged = { call: id, leg: "far", proof: "A".repeat(43) };
    const payload = { client_state: Buffer.from(JSON.stringify(forged)).toString("base64"), hangup_cause: "user_busy" };
    expect(await world.deliver({ type: "call.hangup", callControlId: "v3:forged", occurredAt: later(100), payload })).toBe(200);
    expect(await world.readCall(customer, id)).toMatchObject({ status: "initiated", ended_at: null });
  });

  test("a second leg with the same mark, which is hung up while the first continues", async () => {
    const { customer, leg, id } = await startedCall();
    const [ringing, answered] = eventsOf(leg, 0);
    await world.deliver(ringing as EventToSend);
    await world.deliver(answered as EventToSend);
    const second = `v3:${randomUUID()}`;
    world.provider.legs.set(second, { alive: true, endedAt: null });
    const payload = { client_state: world.farState(leg.parked), call_session_id: leg.session, hangup_cause: "normal_clearing" };
    await world.deliver({ type: "call.initiated", callControlId: second, occurredAt: later(5_500), payload });
    expect(world.provider.legs.get(second)?.alive).toBe(false);
    await world.deliver({ type: "call.hangup", callControlId: second, occurredAt: later(6_000), payload });
    expect(await world.readCall(customer, id)).toMatchObject({ status: "in-progress", ended_at: null });
  });
});

test("a ticket is also read from the leg's custom headers, in both of the provider's formats", async () => {
  for (const header of [
    (value: string) => ({ name: "X-Call-Ticket", value }),
    (value: string) => ({ header_name: "x-call-ticket", header_value: value }),
  ]) {
    world.provider.calmDown();
    const started = await world.initiate(await world.customer());
    await world.park(started, { payload: { client_state: null, custom_headers: [header(started.ticket)] } });
    expect(world.provider.commandsOf("transfer")).toHaveLength(1);
  }
});

describe("the dial command", () => {
  test("ends the call and the browser's leg without a charge if it is refused", async () => {
    world.provider.transferFailure = { status: 422, code: "10016" };
    const { customer, leg, id } = await startedCall();
    expect(await world.readCall(customer, id)).toMatchObject({ status: "failed", end_reason: "network_failure" });
    expect((await world.money(customer)).heldMicros).toBe(0n);
    expect(world.provider.legs.get(leg.parked)?.alive).toBe(false);
  });

  test("ends the call as cancelled if it is refused because the caller hung up", async () => {
    world.provider.transferFailure = { status: 422, code: "90018" };
    const { customer, id } = await startedCall();
    expect(await world.readCall(customer, id)).toMatchObject({ status: "failed", end_reason: "cancelled" });
    expect((await world.money(customer)).heldMicros).toBe(0n);
  });

  test("is repeated with the same id if the event is redelivered before it was acknowledged", async () => {
    world.provider.transferFailure = { status: 503 };
    world.provider.failure = { status: 503 };
    const customer = await world.customer();
    const started = await world.initiate(customer);
    const leg = await world.park(started);
    expect(await world.readCall(customer, started.call.id)).toMatchObject({ status: "initiated" });
    const sent = world.provider.commandsOf("transfer").map(({ body }) => body["command_id"]);
    world.provider.calmDown();
    const payload = { state: "parked", client_state: Buffer.from(started.ticket).toString("base64"), to: LONDON };
    await world.deliver({ type: "call.initiated", id: leg.eventId, callControlId: leg.parked, occurredAt: later(0), payload });
    expect(world.provider.commandsOf("transfer").map(({ body }) => body["command_id"])).toEqual([sent[0]]);
    await world.deliver({ type: "call.initiated", id: leg.eventId, callControlId: leg.parked, occurredAt: later(0), payload });
    expect(world.provider.commandsOf("transfer")).toHaveLength(1);
  });
});

describe("an unauthentic delivery changes nothing", () => {
  const post = (body: string, headers: Record<string, string>) =>
    world.request<{ code: string }>(null, { method: "POST", path: "/api/webhooks/telnyx", body, headers });
  const answered = () => world.provider.eventBody({ type: "call.answered", callControlId: "v3:any", occurredAt: later(0) });

  test.each([
    ["unsigned", () => ({ body: answered(), headers: { "content-type": "application/json" } })],
    ["signed for another body", () => ({ body: answered(), headers: world.provider.signed("{}").headers })],
    ["signed too long ago", () => world.provider.signed(answered(), Math.floor(Date.now() / 1000) - 301)],
    ["signed in the future", () => world.provider.signed(answered(), Math.floor(Date.now() / 1000) + 302)],
    [
      "signature that is not base64",
      () => ({ body: answered(), headers: { ...world.provider.signed(answered()).headers, "telnyx-signature-ed25519": "%%%" } }),
    ],
  ])("%s", async (_name, make) => {
    const { body, headers } = make();
    expect(await post(body, headers)).toMatchObject({ status: 400, body: { code: "bad_signature" } });
    expect(world.provider.commands).toHaveLength(0);
  });

  test("too large, or signed but not JSON", async () => {
    const large = world.provider.signed(JSON.stringify({ filler: "x".repeat(300_000) }));
    expect(await post(large.body, large.headers)).toMatchObject({ status: 413 });
    const broken = world.provider.signed('{"data":');
    expect(await post(broken.body, broken.headers)).toMatchObject({ status: 400, body: { code: "malformed_request" } });
  });

  test("events of other kinds and connections are acknowledged and ignored", async () => {
    expect(await world.deliver({ type: "call.dtmf.received", callControlId: "v3:any", occurredAt: later(0) })).toBe(200);
    expect(
      await world.deliver({
        type: "call.answered",
        callControlId: "v3:any",
        occurredAt: later(0),
        payload: { connection_id: "other" },
      }),
    ).toBe(200);
    expect(world.provider.commands).toHaveLength(0);
  });

  test.each([{ state: "bridging" }, { state: "bridging", connection_id: null }])(
    "a leg that belongs to no call is hung up: %j",
    async (payload) => {
      world.provider.legs.set("v3:stray", { alive: true, endedAt: null });
      await world.deliver({ type: "call.initiated", callControlId: "v3:stray", occurredAt: later(0), payload });
      expect(world.provider.legs.get("v3:stray")?.alive).toBe(false);
    },
  );

  test.each(["call.hangup", "call.cost"])("%s of a leg that belongs to no call sends no command", async (type) => {
    const payload = { hangup_cause: "normal_clearing", status: "success", total_cost: "0.01" };
    expect(await world.deliver({ type, callControlId: `v3:${randomUUID()}`, occurredAt: later(0), payload })).toBe(200);
    expect(world.provider.commands).toHaveLength(0);
  });
});
