import { operate } from "../../../test/operate.ts";
import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import type { CallerIdResponse } from "@farline/contract/caller-id.ts";
import type { ErrorBody } from "@farline/contract/errors.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { CARRIER_COST_LIMITS } from "@farline/domain/business/business-settings.ts";
import { CALLER_NUMBER, createCallWorld, insertPaid, type CallWorld } from "../../../test/worlds/call-world.ts";
import { readCarrierSpend } from "../../risk/breaker.store.ts";
import { startOfDay } from "../../risk/decide-breakers.ts";
import { watchCosts } from "../../risk/risk.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { asOperator } from "../../../test/test-context.ts";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 1 });
});
afterAll(() => world.close());
/** All requests come from one network, so the counts are reset before each test. */
beforeEach(async () => {
  world.provider.calmDown();
  for (const table of ["rate_limit", "breaker", "code_call_cost"])
    await sql`delete from ${sql.raw(table)}`.execute(world.database.handle.db);
});

const callMe = async (customer: Customer, number: string) => {
  const body = { phone_number: number };
  const answer = await world.request<ErrorBody>(customer, { method: "POST", path: "/api/calls/caller-id/checks", body });
  return answer.status === 201 ? "called" : answer.body.code;
};

test("a code call requires a verified email address and a payment", async () => {
  for (const tier of ["unverified", "new"] as const)
    expect(await callMe(await world.customer({ tier }), "+13035552001")).toBe("caller_number_not_open");
  expect(await callMe(await world.customer({ tier: "known" }), "+13035552001")).toBe("called");
});

test("an account that may not verify numbers cannot tell whether a number is taken or blocked", async () => {
  const owner = await world.customer({ tier: "known" });
  const taken = "+13035552020";
  const blocked = "+13035552021";
  expect(await callMe(owner, taken)).toBe("called");
  const confirm = { method: "POST", path: "/api/calls/caller-id/checks/confirm" };
  const { status } = await world.request(owner, { ...confirm, body: { number: taken, code: world.provider.spokenCode } });
  expect(status).toBe(200);
  await operate(asOperator(world.ctx, "grace"), "block-caller-number", { number: blocked, reason: "its owner objected" });
  for (const number of [taken, blocked, "+13035552022"])
    expect(await callMe(await world.customer({ tier: "new" }), number)).toBe("caller_number_not_open");
});

test("a code call is refused for frozen accounts", async () => {
  expect(await callMe(await world.customer({ tier: "known", status: "frozen" }), "+13035552002")).toBe("account_frozen");
});

test("a code call is refused for expensive or paused destinations", async () => {
  const customer = await world.customer({ tier: "trusted" });
  expect(await callMe(customer, "+93701234567")).toBe("caller_number_refused");
  await sql`insert into breaker (id, kind, subject, inputs, opened_at, until) values (gen_random_uuid(), 'country', 'GB', '{}', now(), ${new Date(world.clock.now().getTime() + 60_000)})`.execute(
    world.database.handle.db,
  );
  expect(await callMe(customer, "+442079461234")).toBe("destination_paused");
  expect(world.provider.commands).toEqual([]);
});

test("a code call that the provider refused does not count against the limits", async () => {
  const customer = await world.customer({ tier: "known" });
  world.provider.numberFailure = { status: 422, only: "call" };
  for (let calls = 0; calls < 6; calls += 1) expect(await callMe(customer, "+13035552010")).toBe("caller_number_refused");
  world.provider.numberFailure = null;
  expect(await callMe(customer, "+13035552010")).toBe("called");
});

test("a number gets at most three code calls a day, two of them for one account, which leaves one for its owner", async () => {
  const [stranger, owner] = await payers(2);
  for (let calls = 0; calls < 2; calls += 1) expect(await callMe(stranger, "+13035552003")).toBe("called");
  expect(await callMe(stranger, "+13035552003")).toBe("rate_limited");
  expect(await callMe(owner, "+13035552003")).toBe("called");
  expect(await callMe(owner, "+13035552003")).toBe("rate_limited");
});

test("one account cannot use up a number's code calls of a week, so that its owner gets one", async () => {
  const { db } = world.database.handle;
  const [stranger, owner] = await payers(2);
  const results: string[] = [];
  for (let day = 0; day < 3; day += 1) {
    for (let calls = 0; calls < 2; calls += 1) results.push(await callMe(stranger, "+13035552061"));
    await sql`delete from rate_limit where key not like '%-week%'`.execute(db);
  }
  expect(results.filter((result) => result === "called")).toHaveLength(4);
  expect(await callMe(owner, "+13035552061")).toBe("called");
});

test("one account cannot use up the guesses of a number, so that its owner can enter the code", async () => {
  const { db } = world.database.handle;
  const [stranger, owner] = await payers(2);
  const number = "+13035552062";
  const confirm = async (customer: Customer, code: string) => {
    const request = { method: "POST", path: "/api/calls/caller-id/checks/confirm", body: { number, code } };
    return (await world.request<ErrorBody>(customer, request)).status;
  };
  for (let calls = 0; calls < 4; calls += 1) {
    await sql`delete from rate_limit where key like 'code-call%' or key like 'code-guess-account:%'`.execute(db);
    await callMe(stranger, number);
    for (let tries = 0; tries < 3; tries += 1)
      await confirm(stranger, world.provider.spokenCode === "000000" ? "000001" : "000000");
  }
  await sql`delete from rate_limit where key like 'code-call%'`.execute(db);
  expect(await callMe(owner, number)).toBe("called");
  expect(await confirm(owner, world.provider.spokenCode)).toBe(200);
});

test("a network used up by others leaves long-time customers their own calls", async () => {
  for (const [n, customer] of (await payers(11)).entries()) await callMe(customer, `+130355522${String(n).padStart(2, "0")}`);
  expect(await callMe(await world.customer({ tier: "trusted" }), "+13035552249")).toBe("called");
});

test("an account gets at most five code calls a day over all numbers", async () => {
  const [customer] = await payers(1);
  for (let calls = 0; calls < 5; calls += 1) expect(await callMe(customer, `+1303555203${calls}`)).toBe("called");
  expect(await callMe(customer, "+13035552039")).toBe("rate_limited");
});

test("a number gets at most six code calls a week over all accounts", async () => {
  const { db } = world.database.handle;
  const results: string[] = [];
  for (let day = 0; day < 3; day += 1) {
    for (const customer of await payers(3)) results.push(await callMe(customer, "+13035552060"));
    await sql`delete from rate_limit where key not like 'code-call-number-week%'`.execute(db);
  }
  expect(results).toEqual([...Array.from({ length: 6 }, () => "called"), "rate_limited", "rate_limited", "rate_limited"]);
});

test("the accounts of one network get at most ten code calls a day", async () => {
  const results: string[] = [];
  for (const [n, customer] of (await payers(12)).entries())
    results.push(await callMe(customer, `+130355521${String(n).padStart(2, "0")}`));
  expect(results).toEqual([...Array.from({ length: 10 }, () => "called"), "rate_limited", "rate_limited"]);
});

test("new customers can use at most half of the service's daily code calls", async () => {
  const { db } = world.database.handle;
  const newcomer = await world.customer({ tier: "new" });
  await insertPaid(db, newcomer.id, { dollars: 5, at: world.clock.now() });
  expect(await callMe(newcomer, "+13035552050")).toBe("called");
  await sql`update rate_limit set points = 100 where key like 'code-call-newcomers%'`.execute(db);
  expect(await callMe(newcomer, "+13035552051")).toBe("rate_limited");
  const [known] = await payers(1);
  expect(await callMe(known, "+13035552052")).toBe("called");
});

test("code calls count towards the daily carrier cost limit and stop once it is reached", async () => {
  const { handle } = world.database;
  const now = world.clock.now();
  const today = startOfDay(now);
  const before = await readCarrierSpend(handle.db, today, now);
  const [customer] = await payers(1);
  expect(await callMe(customer, "+13035552070")).toBe("called");
  expect(await readCarrierSpend(handle.db, today, now)).toBeGreaterThan(before);
  await sql`update code_call_cost set micros = ${CARRIER_COST_LIMITS.spendPerDayMicros}`.execute(handle.db);
  await watchCosts({ ...world.ctx, config: { ...world.ctx.config, limitsScale: 1 } });
  expect(await callMe(customer, "+13035552071")).toBe("destination_paused");
});

test("a number allows at most nine code guesses a week over all calls and accounts", async () => {
  const { db } = world.database.handle;
  const number = "+13035552080";
  const results: string[] = [];
  for (const customer of await payers(4)) {
    await sql`delete from rate_limit where key like 'code-call%'`.execute(db);
    expect(await callMe(customer, number)).toBe("called");
    for (let tries = 0; tries < 3; tries += 1) {
      const body = { number, code: world.provider.spokenCode === "000000" ? "000001" : "000000" };
      const confirm = { method: "POST", path: "/api/calls/caller-id/checks/confirm", body };
      results.push((await world.request<ErrorBody>(customer, confirm)).body.code);
    }
  }
  expect(results.slice(0, 9).every((code) => code === "call_code_wrong" || code === "call_code_expired")).toBe(true);
  expect(results.slice(9)).toEqual(["rate_limited", "rate_limited", "rate_limited"]);
});

test("a verified number must be verified again after 180 days", async () => {
  const [customer] = await payers(1);
  const number = "+13035552090";
  expect(await callMe(customer, number)).toBe("called");
  const confirm = { method: "POST", path: "/api/calls/caller-id/checks/confirm" };
  await world.request(customer, { ...confirm, body: { number, code: world.provider.spokenCode } });
  const read = async () => (await world.request<CallerIdResponse>(customer, { path: "/api/calls/caller-id" })).body.caller_id;
  world.clock.advance(179 * DAY_MS);
  await world.sweep();
  expect(await read()).toMatchObject({ shown: number, numbers: [{ number, needs_proof: false }] });
  world.clock.advance(2 * DAY_MS);
  await world.sweep();
  expect(await read()).toMatchObject({ shown: CALLER_NUMBER, numbers: [{ number, needs_proof: true }] });
  expect(await callMe(customer, number)).toBe("called");
});

async function payers<Count extends number>(count: Count) {
  return (await Promise.all(Array.from({ length: count }, () => world.customer({ tier: "known" })))) as [
    Customer,
    Customer,
    ...Customer[],
  ];
}
