import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CREDIT_MICROS } from "../../../test/worlds/call-world.ts";
import { createTelnyxWorld, type DialledCall, type TelnyxWorld } from "../../../test/worlds/telnyx-world.ts";
import type { Delivery } from "../../../test/fakes/strict-telnyx/strict-telnyx.ts";
import type { Habits, TelnyxEvent } from "../../../test/fakes/strict-telnyx/telnyx-legs.ts";

let telnyxWorld: TelnyxWorld;
beforeAll(async () => {
  telnyxWorld = await createTelnyxWorld();
});
afterAll(() => telnyxWorld.close());
beforeEach(() => telnyxWorld.reset());
afterEach(() => expect(telnyxWorld.telnyx.refused, "requests that Telnyx does not support").toEqual([]));

const carrierCost = async ({ id }: DialledCall) => {
  const { rows } = await sql<{ micros: string }>`select carrier_cost_micros::text as micros from call where id = ${id}`.execute(
    telnyxWorld.world.database.handle.db,
  );
  return rows[0]?.micros;
};
const habits = (changed: Partial<Habits>) => Object.assign(telnyxWorld.telnyx.habits, changed);
const read = ({ id, customer }: DialledCall) => telnyxWorld.world.readCall(customer, id);
const dollars = (text: string) => BigInt(Math.round(Number(text) * 1_000_000));
const paid = async ({ customer }: DialledCall) => CREDIT_MICROS - (await telnyxWorld.world.money(customer)).balanceMicros;
const held = async ({ customer }: DialledCall) => (await telnyxWorld.world.money(customer)).heldMicros;

/** Plays the called side: rings and talks for these seconds, then ends the call. */
async function talk(call: DialledCall, { ring, talked }: { ring: number; talked: number }, how?: Delivery): Promise<void> {
  const { telnyx, deliver, pass } = telnyxWorld;
  await pass(ring, how);
  telnyx.calls.answer(call.far());
  await deliver(how);
  await pass(talked, how);
  const { sessionId } = call.browser;
  expect(
    telnyx.calls.legs.filter((leg) => leg.sessionId === sessionId && leg.endedAt !== null),
    "ended by the service",
  ).toEqual([]);
  telnyx.calls.end(call.far(), { cause: "normal_clearing", sip: "200", source: "callee" });
  await deliver(how);
}

const farEvent =
  (...types: string[]) =>
  ({ type, leg }: TelnyxEvent) =>
    leg.side === "far" && types.includes(type);

describe("a call is dialled once and charged once, from the far answer to its end, whatever Telnyx's behaviour:", () => {
  test.each<[string, Partial<Habits>, Delivery]>([
    ["as documented", {}, {}],
    ["a ringing leg is not alive", { ringingIsAlive: false }, {}],
    ["a ringing leg is not alive, and no times are reported", { ringingIsAlive: false, reportsTimes: false }, {}],
    ["a transfer needs an answer", { transferNeedsAnswer: true }, {}],
    ["a transfer needs an answer, and a ringing leg is not alive", { transferNeedsAnswer: true, ringingIsAlive: false }, {}],
    ["the far leg names no connection", { farConnection: "none" }, {}],
    ["the far leg names another connection", { farConnection: "other" }, {}],
    ["the far leg is incoming", { farDirection: "incoming" }, {}],
    ["each event arrives twice", {}, { repeated: true }],
    ["the newest event arrives first", { reportsTimes: false }, { reversed: true }],
    ["each event arrives twice, the newest first", { transferNeedsAnswer: true }, { repeated: true, reversed: true }],
    ["the far leg's first event is lost", {}, { lost: farEvent("call.initiated") }],
    [
      "the far leg's first event is lost, and the leg is not alive",
      { ringingIsAlive: false },
      { lost: farEvent("call.initiated") },
    ],
  ])("%s", async (_name, changed, how) => {
    habits(changed);
    const call = await telnyxWorld.dial(how);
    await talk(call, { ring: 20, talked: 20 }, how);
    expect(await read(call)).toMatchObject({ status: "completed", end_reason: "hangup", duration_seconds: 20 });
    expect(await held(call)).toBe(0n);
    expect(await paid(call)).toBe(dollars((await read(call)).cost));
  });
});

describe("an unanswered call costs nothing and ends when the ringing does:", () => {
  test.each<[string, Partial<Habits>, Delivery]>([
    ["as documented", {}, {}],
    ["a ringing leg is not alive", { ringingIsAlive: false, reportsTimes: false }, {}],
    ["a transfer needs an answer", { transferNeedsAnswer: true }, {}],
    ["all of the far leg's events are lost", { ringingIsAlive: false }, { lost: ({ leg }) => leg.side === "far" }],
    ["a transfer needs an answer, and its end is lost", { transferNeedsAnswer: true }, { lost: farEvent("call.hangup") }],
  ])("%s", async (_name, changed, how) => {
    habits(changed);
    const call = await telnyxWorld.dial(how);
    await telnyxWorld.pass(50, how, 10);
    expect(await read(call)).toMatchObject({ status: expect.stringMatching(/initiated|ringing/) as string });
    await telnyxWorld.pass(260, how, 20);
    expect(await read(call)).toMatchObject({ status: "failed", cost: "0.00" });
    expect(await held(call)).toBe(0n);
    const { legs } = telnyxWorld.telnyx.calls;
    expect(legs.filter(({ sessionId, endedAt }) => sessionId === call.browser.sessionId && endedAt === null)).toEqual([]);
  });
});

describe("lost events", () => {
  const allOfFar = { lost: ({ leg }: TelnyxEvent) => leg.side === "far" };
  const answers = ({ type }: TelnyxEvent) => type === "call.answered" || type === "call.bridged";
  const everything = { lost: () => true };

  test.each<[string, Partial<Habits>, Delivery, string]>([
    ["all after the far leg's first event", {}, everything, "12300"],
    ["the same, and the status contains no times", { reportsTimes: false, ringingIsAlive: false }, everything, "12300"],
    ["only the answers", {}, { lost: answers }, "28000"],
    ["the answers and the far leg's end", {}, { lost: (event) => answers(event) || allOfFar.lost(event) }, "26300"],
  ])("are replaced by the detail record: %s", async (_name, changed, how, cost) => {
    habits({ ...changed, recordAfterMs: 60_000 });
    const call = await telnyxWorld.dial();
    await talk(call, { ring: 10, talked: 20 }, how);
    await telnyxWorld.pass(40, how, 10);
    expect(await read(call)).toMatchObject({ status: "ringing" });
    await telnyxWorld.pass(60, how, 10);
    expect(await read(call)).toMatchObject({ status: "completed", duration_seconds: 20 });
    expect(await paid(call)).toBe(dollars((await read(call)).cost));
    expect(await carrierCost(call)).toBe(cost);
  });

  test("are replaced by the detail record even if no event named the far leg", async () => {
    const call = await telnyxWorld.dial({ lost: allOfFar.lost });
    await talk(call, { ring: 10, talked: 20 }, everything);
    await telnyxWorld.pass(90, everything, 10);
    expect(await read(call)).toMatchObject({ status: "completed", duration_seconds: 20 });
  });

  test("make the call free if no detail record appears either", async () => {
    habits({ recordAfterMs: null });
    const call = await telnyxWorld.dial();
    await talk(call, { ring: 10, talked: 20 }, { lost: answers });
    await telnyxWorld.pass(60, {}, 20);
    expect((await read(call)).status).toBe("ringing");
    await telnyxWorld.pass(160, {}, 20);
    expect(await read(call)).toMatchObject({ status: "failed", cost: "0.00" });
    expect([await held(call), await paid(call)]).toEqual([0n, 0n]);
  });

  test("of a call cancelled while ringing do not delay its end until a record appears", async () => {
    habits({ recordAfterMs: null });
    const call = await telnyxWorld.dial();
    await telnyxWorld.pass(5);
    telnyxWorld.telnyx.calls.end(call.browser, { cause: "originator_cancel", sip: "487", source: "caller" });
    await telnyxWorld.deliver();
    expect(await read(call)).toMatchObject({ status: "failed", end_reason: "cancelled" });
  });
});

test("live legs are read page by page, and a leg that belongs to no call is hung up", async () => {
  const { telnyx, world, pass } = telnyxWorld;
  const strays = Array.from({ length: 120 }, () =>
    telnyx.calls.browserDials({ to: "+442079460000", from: "nobody", ticket: "none" }),
  );
  telnyx.calls.events.length = 0;
  const lists = () => telnyx.requests.filter(({ path }) => path.endsWith("/active_calls")).length;
  world.clock.advance(70_000);
  await world.sweep();
  expect(strays.filter(({ endedAt }) => endedAt === null)).toEqual([]);
  expect(lists()).toBe(2);
  telnyx.calls.events.length = 0;
  await pass(1);
});
