import { operate } from "../../../test/operate.ts";
import { sql } from "kysely";
import type { CallerIdResponse } from "@farline/contract/caller-id.ts";
import type { ErrorBody } from "@farline/contract/errors.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CALLER_NUMBER, createCallWorld, LONDON, type CallWorld } from "../../../test/worlds/call-world.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { endCallAccess } from "../live/cut-calls.ts";
import { CODE_LIFE_MS } from "./caller-id-limits.ts";
import { cleanCallerNumbers } from "./change-caller-id.ts";
import { asOperator } from "../../../test/test-context.ts";

type Body = CallerIdResponse & ErrorBody;

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 0 });
});
afterAll(() => world.close());
beforeEach(() => world.provider.calmDown());

let count = 0;
/** Returns a number that no other test uses. */
const newNumber = () => `+1303555${String(1000 + (count += 1))}`;

const at = (customer: Customer, method: string, path: string, body?: unknown) =>
  world.request<Body>(customer, { method, path: `/api/calls/caller-id${path}`, body });
const callMe = (customer: Customer, number: string) => at(customer, "POST", "/checks", { phone_number: number });
const enter = (customer: Customer, number: string, code = world.provider.spokenCode) =>
  at(customer, "POST", "/checks/confirm", { number, code });
const choose = (customer: Customer, number: string | null) => at(customer, "PUT", "", { number });
const read = async (customer: Customer) => (await at(customer, "GET", "")).body.caller_id;

async function proven(customer: Customer, number = newNumber()): Promise<string> {
  expect((await callMe(customer, number)).status).toBe(201);
  expect((await enter(customer, number)).status).toBe(200);
  return number;
}

const withoutTimes = (text: string) => text.replaceAll(/"(expires_at|request_id)":"[^"]*"/g, '"$1":"-"');

/** Dials London. @returns the command sent to the provider, and the caller number in the call's record */
async function dialled(customer: Customer) {
  const started = await world.initiate(customer);
  const leg = await world.park(started);
  const commands = world.provider.commands.filter(({ path }) => path === `/calls/${leg.parked}/actions/transfer`);
  return { started, leg, commands: commands.map(({ body }) => body), call: await world.readCall(customer, started.call.id) };
}

async function mailsTo(customer: Customer): Promise<string[]> {
  const { rows } = await sql<{
    event: string;
  }>`select data->>'event' as event from mail where recipient = ${customer.email}`.execute(world.database.handle.db);
  return rows.map(({ event }) => event);
}

async function activityOf(customer: Customer): Promise<string[][]> {
  const { rows } = await sql<{
    kind: string;
    detail: string;
  }>`select kind, detail from security_event where customer_id = ${customer.id} order by id`.execute(world.database.handle.db);
  return rows.map(({ kind, detail }) => [kind, detail]);
}

describe("a number", () => {
  test("is verified with a code call, then shown on every call, and its owner is notified by mail", async () => {
    const customer = await world.customer();
    const hints = world.hintsFor(customer);
    const number = newNumber();
    const called = await callMe(customer, number);
    expect(called.body.caller_id).toMatchObject({ shown: CALLER_NUMBER, numbers: [], check: { number, attempts_left: 3 } });
    expect(world.provider.commands.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /verified_numbers"]);
    expect((await enter(customer, number)).body.caller_id).toMatchObject({
      shown: number,
      numbers: [{ number, needs_proof: false }],
      check: null,
    });
    expect(hints).toContainEqual({ type: "caller_id" });
    expect(await mailsTo(customer)).toEqual(["caller_number_added"]);
    expect(await activityOf(customer)).toEqual([["caller_number_added", number]]);
    const { started, commands, call } = await dialled(customer);
    expect(started.caller_number).toBe(number);
    expect(commands).toEqual([expect.objectContaining({ from: number, from_proof: "scripted-proof" })]);
    expect(call.caller_number).toBe(number);
  });

  test("is shown without a proof if the provider keeps its own list", async () => {
    const customer = await world.customer();
    world.provider.proof = null;
    const number = await proven(customer);
    const { commands } = await dialled(customer);
    expect(commands[0]).toMatchObject({ from: number });
    expect(commands[0]).not.toHaveProperty("from_proof");
  });

  test("is not verified by the right code after three wrong ones", async () => {
    const customer = await world.customer();
    const number = newNumber();
    await callMe(customer, number);
    expect((await enter(customer, number, "000000")).body).toMatchObject({
      code: "call_code_wrong",
      errors: { code: [expect.any(String)] },
    });
    expect((await read(customer)).check?.attempts_left).toBe(2);
    expect((await enter(customer, number, "000001")).body.code).toBe("call_code_wrong");
    expect((await enter(customer, number, "000002")).body.code).toBe("call_code_expired");
    expect((await enter(customer, number)).body.code).toBe("call_code_expired");
    expect(await read(customer)).toMatchObject({ numbers: [], check: null });
  });

  test("is not verified by concurrent guesses beyond the limit", async () => {
    const customer = await world.customer();
    const number = newNumber();
    await callMe(customer, number);
    const codes = ["000000", "000001", "000002", "000003", world.provider.spokenCode];
    await Promise.all(codes.map((code) => enter(customer, number, code)));
    const submitted = world.provider.commands.filter(({ path }) => path.endsWith("/actions/verify"));
    expect(submitted.length).toBeLessThanOrEqual(3);
  });

  test("is verified once when the code is submitted twice", async () => {
    const customer = await world.customer();
    const number = await proven(customer);
    expect((await enter(customer, number)).status).toBe(200);
    expect(await mailsTo(customer)).toHaveLength(1);
  });

  test("is not verified after ten minutes, by another customer's call, or without a call", async () => {
    const [customer, other] = await Promise.all([world.customer(), world.customer()]);
    const number = newNumber();
    expect((await enter(customer, number)).body.code).toBe("call_code_expired");
    await callMe(customer, number);
    expect((await enter(other, number)).body.code).toBe("call_code_expired");
    world.clock.advance(CODE_LIFE_MS + 1);
    expect((await enter(customer, number)).body.code).toBe("call_code_expired");
  });

  test("uses up no attempt while the provider is unreachable", async () => {
    const customer = await world.customer();
    const number = newNumber();
    await callMe(customer, number);
    world.provider.numberFailure = { status: 500 };
    expect((await enter(customer, number)).body.code).toBe("voice_provider_down");
    world.provider.numberFailure = null;
    expect((await read(customer)).check?.attempts_left).toBe(3);
    expect((await enter(customer, number)).status).toBe(200);
  });

  test.each([
    ["an emergency number", "911", "US", "emergency_number"],
    ["not a number", "hello", undefined, "number_invalid"],
    ["a number without its country", "3035551234", undefined, "country_required"],
    ["a premium number", "+19005550100", undefined, "caller_number_refused"],
    ["a satellite phone", "+881612345678", undefined, "caller_number_refused"],
    ["the service's own number", CALLER_NUMBER, undefined, "caller_number_refused"],
  ])("that is %s is refused and not called", async (_what, number, country, code) => {
    const customer = await world.customer();
    const answer = await at(customer, "POST", "/checks", {
      phone_number: number,
      ...(country === undefined ? {} : { country_code: country }),
    });
    expect(answer.body.code).toBe(code);
    expect(world.provider.commands).toEqual([]);
  });

  test("reserved for fiction is refused in live mode", async () => {
    const live = await createCallWorld({ limitsScale: 0, mode: "live" });
    const customer = await live.customer();
    const body = { phone_number: LONDON };
    const answer = await live.request<ErrorBody>(customer, { method: "POST", path: "/api/calls/caller-id/checks", body });
    expect(answer.body.code).toBe("caller_number_refused");
    await live.close();
  });

  test("belongs to one account, and is added once", async () => {
    const [customer, other] = await Promise.all([world.customer(), world.customer()]);
    const number = await proven(customer);
    expect((await callMe(customer, number)).body.code).toBe("caller_number_known");
    expect((await choose(other, number)).body.code).toBe("not_found");
    expect((await at(other, "DELETE", `/numbers/${encodeURIComponent(number)}`)).body.code).toBe("not_found");
    expect((await read(customer)).shown).toBe(number);
  });

  test.each([
    ["calls every number", false],
    ["calls no number on its list", true],
  ])(
    "of another account looks like a free one to anyone who does not hear the code, if the provider %s",
    async (_what, lists) => {
      const [owner, other] = await Promise.all([world.customer(), world.customer()]);
      if (lists) world.provider.listed = new Set();
      const taken = await proven(owner);
      const answers = [];
      for (const number of [taken, newNumber()]) {
        world.provider.commands.length = 0;
        const called = await callMe(other, number);
        const wrong = await enter(other, number, "000000");
        const third = [await enter(other, number, "000001"), await enter(other, number, "000002")].at(-1);
        const seen = [called, wrong, third].map((answer) => [answer?.status, answer?.body]);
        const sent = world.provider.commands.map(({ method, path }) => `${method} ${path}`);
        answers.push(withoutTimes(JSON.stringify([seen, sent]).replaceAll(number, "NUMBER")));
      }
      expect(answers[0]).toBe(answers[1]);
      expect((await read(owner)).shown).toBe(taken);
      if (lists) return;
      await callMe(other, taken);
      expect((await enter(other, taken)).body.code).toBe("caller_number_taken");
      expect((await read(owner)).shown).toBe(taken);
    },
  );

  test("that the provider still lists without an account is removed there and called", async () => {
    const customer = await world.customer();
    const number = newNumber();
    world.provider.listed = new Set([number]);
    expect((await callMe(customer, number)).status).toBe(201);
    expect((await enter(customer, number)).status).toBe(200);
  });

  test("keeps its first call and code when requested again immediately", async () => {
    const [customer, other] = await Promise.all([world.customer(), world.customer()]);
    const number = newNumber();
    await callMe(customer, number);
    world.provider.calmDown();
    world.provider.numberFailure = { status: 429, only: "call" };
    for (const one of [customer, other]) {
      const again = await callMe(one, number);
      expect(again.body).toMatchObject({ code: "rate_limited", message: expect.stringContaining("called a moment ago") });
      expect(again.headers["retry-after"]).toBe("60");
    }
    expect(world.provider.commands.map(({ method }) => method)).not.toContain("DELETE");
    world.provider.numberFailure = null;
    expect((await enter(customer, number)).status).toBe(200);
  });

  test("belongs to the account that verifies it first", async () => {
    const [customer, other] = await Promise.all([world.customer(), world.customer()]);
    const number = newNumber();
    await callMe(customer, number);
    await callMe(other, number);
    expect((await enter(customer, number)).status).toBe(200);
    expect((await enter(other, number)).body.code).toBe("call_code_wrong");
  });

  test.each([
    [403, "caller_numbers_off"],
    [429, "rate_limited"],
    [422, "caller_number_refused"],
    [500, "voice_provider_down"],
  ])("that the provider refuses with %i returns %s", async (status, code) => {
    const customer = await world.customer();
    const number = newNumber();
    world.provider.numberFailure = { status, only: "call" };
    expect((await callMe(customer, number)).body.code).toBe(code);
    expect((await read(customer)).check).toBeNull();
  });
});

describe("the chosen caller id", () => {
  test("is one of the account's own, or the service's number", async () => {
    const customer = await world.customer();
    const [first, second] = [await proven(customer), await proven(customer)];
    expect((await read(customer)).shown).toBe(second);
    expect((await choose(customer, first)).body.caller_id.shown).toBe(first);
    expect((await choose(customer, null)).body.caller_id.shown).toBe(CALLER_NUMBER);
    await Promise.all([choose(customer, first), choose(customer, second), choose(customer, first)]);
    expect([first, second]).toContain((await read(customer)).shown);
  });

  test("is reset when the number is removed, and the removal is reported to the provider until it succeeds", async () => {
    const customer = await world.customer();
    const number = await proven(customer);
    await at(customer, "DELETE", `/numbers/${encodeURIComponent(number)}`);
    expect(await read(customer)).toMatchObject({ shown: CALLER_NUMBER, numbers: [] });
    world.provider.calmDown();
    world.provider.numberFailure = { status: 500 };
    const { signal } = new AbortController();
    await cleanCallerNumbers(world.ctx, signal);
    world.provider.numberFailure = null;
    await cleanCallerNumbers(world.ctx, signal);
    const commandsBefore = world.provider.commands.length;
    await cleanCallerNumbers(world.ctx, signal);
    expect(world.provider.commands.filter(({ path }) => path.endsWith(number)).length).toBeGreaterThan(1);
    expect(world.provider.commands).toHaveLength(commandsBefore);
  });

  test("is reset to the service's number when the owner recovers the account", async () => {
    const customer = await world.customer();
    await proven(customer);
    const removed = await world.database.handle.db
      .transaction()
      .execute((tx) => endCallAccess(tx, { customerId: customer.id, firstProof: false, at: world.clock.now() }));
    expect(removed).toEqual(["caller_number"]);
    expect((await read(customer)).shown).toBe(CALLER_NUMBER);
  });

  test("stays so for an intruder's request that came before", async () => {
    const customer = await world.customer();
    const number = await proven(customer);
    await at(customer, "PUT", "", { number: null });
    await sql`delete from session where customer_id = ${customer.id}`.execute(world.database.handle.db);
    expect((await at(customer, "PUT", "", { number })).status).toBe(401);
    expect((await read(customer)).shown).toBe(CALLER_NUMBER);
  });
});

describe("a call", () => {
  test("to the chosen number itself shows the service's", async () => {
    const customer = await world.customer();
    const number = await proven(customer);
    expect((await world.initiate(customer, number)).caller_number).toBe(CALLER_NUMBER);
  });

  test("whose number has been removed shows the service's", async () => {
    const customer = await world.customer();
    const number = await proven(customer);
    const started = await world.initiate(customer);
    await at(customer, "DELETE", `/numbers/${encodeURIComponent(number)}`);
    await world.park(started);
    expect(world.provider.commandsOf("transfer")[0]?.body).toMatchObject({ from: CALLER_NUMBER });
    expect((await world.readCall(customer, started.call.id)).caller_number).toBe(CALLER_NUMBER);
  });

  test("uses the service's number if the provider refuses the customer's, which must then be verified again", async () => {
    const customer = await world.customer();
    const number = await proven(customer);
    world.provider.refusedFrom = number;
    const { commands, call } = await dialled(customer);
    world.provider.refusedFrom = null;
    expect(commands.map(({ from }) => from)).toEqual([number, CALLER_NUMBER]);
    expect(new Set(commands.map((command) => command["command_id"])).size).toBe(2);
    expect(call).toMatchObject({ status: "initiated", caller_number: CALLER_NUMBER });
    expect(await read(customer)).toMatchObject({ shown: CALLER_NUMBER, numbers: [{ number, needs_proof: true }] });
    expect((await choose(customer, number)).body.code).toBe("not_found");
    await proven(customer, number);
    expect((await read(customer)).numbers).toMatchObject([{ number, needs_proof: false }]);
  });

  test("leaves the number verified if it was refused because the caller had hung up", async () => {
    const customer = await world.customer();
    const number = await proven(customer);
    world.provider.transferFailure = { status: 422, code: "90018" };
    expect((await dialled(customer)).commands).toHaveLength(1);
    expect(await read(customer)).toMatchObject({ shown: number, numbers: [{ number, needs_proof: false }] });
  });

  test("records the caller id that the carrier actually showed", async () => {
    const customer = await world.customer();
    await proven(customer);
    const { started, leg } = await dialled(customer);
    const payload = { call_session_id: leg.session, client_state: world.farState(leg.parked), from: CALLER_NUMBER };
    world.provider.legs.set(leg.far, { alive: true, endedAt: null });
    await world.deliver({ type: "call.answered", callControlId: leg.far, occurredAt: world.clock.now(), payload });
    expect((await world.readCall(customer, started.call.id)).caller_number).toBe(CALLER_NUMBER);
  });
});

describe("a disputed number", () => {
  test("is removed, blocked and audited, and its account is notified", async () => {
    const customer = await world.customer();
    const number = await proven(customer);
    const ctx = asOperator(world.ctx, "grace");
    const order = { number, reason: "Its owner wrote to us" };
    expect(await operate(ctx, "block-caller-number", order)).toEqual({ removedFrom: customer.id, isNew: true });
    expect(await operate(ctx, "block-caller-number", order)).toEqual({ removedFrom: null, isNew: false });
    expect(await read(customer)).toMatchObject({ shown: CALLER_NUMBER, numbers: [] });
    expect(await mailsTo(customer)).toEqual(["caller_number_added", "caller_number_removed"]);
    expect((await activityOf(customer)).at(-1)).toEqual(["caller_number_removed", number]);
    expect((await callMe(customer, number)).body.code).toBe("caller_number_blocked");
    const { rows } = await sql<any>`select operator, action, reason from operation where customer_id = ${customer.id}`.execute(
      world.database.handle.db,
    );
    expect(rows).toEqual([{ operator: "grace", action: "block-caller-number", reason: order.reason }]);
    expect(await operate(ctx, "unblock-caller-number", order)).toBe(true);
    expect((await callMe(customer, number)).status).toBe(201);
  });

  test("cannot be verified with an earlier code", async () => {
    const customer = await world.customer();
    const number = newNumber();
    await callMe(customer, number);
    await operate(asOperator(world.ctx, "grace"), "block-caller-number", { number, reason: "Objected" });
    expect((await enter(customer, number)).body.code).toBe("call_code_expired");
  });
});
