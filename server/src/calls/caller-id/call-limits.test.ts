import type { ErrorBody } from "@farline/contract/errors.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createCallWorld, type CallWorld } from "../../../test/worlds/call-world.ts";
import type { Customer } from "../../accounts/accounts.ts";
import { blockCallerNumber } from "./dispute-number.ts";

let world: CallWorld;
beforeAll(async () => {
  world = await createCallWorld({ limitsScale: 1 });
});
afterAll(() => world.close());
beforeEach(() => world.provider.calmDown());

const callMe = async (customer: Customer, number: string) => {
  const body = { phone_number: number };
  const answer = await world.request<ErrorBody>(customer, { method: "POST", path: "/api/calls/caller-id/checks", body });
  return answer.status === 201 ? "called" : answer.body.code;
};

test("a call with a code is only for customers with a verified address and a payment", async () => {
  for (const tier of ["unverified", "new"] as const)
    expect(await callMe(await world.customer({ tier }), "+13035552001")).toBe("caller_number_not_open");
  expect(await callMe(await world.customer({ tier: "known" }), "+13035552001")).toBe("called");
});

test("an account without this right learns nothing about a number", async () => {
  const owner = await world.customer({ tier: "known" });
  const taken = "+13035552020";
  const blocked = "+13035552021";
  expect(await callMe(owner, taken)).toBe("called");
  const confirm = { method: "POST", path: "/api/calls/caller-id/checks/confirm" };
  const { status } = await world.request(owner, { ...confirm, body: { number: taken, code: world.provider.spokenCode } });
  expect(status).toBe(200);
  await blockCallerNumber(world.deps, { number: blocked, reason: "its owner objected", operator: "ada" });
  for (const number of [taken, blocked, "+13035552022"])
    expect(await callMe(await world.customer({ tier: "new" }), number)).toBe("caller_number_not_open");
});

test("a call with a code is refused for frozen accounts", async () => {
  expect(await callMe(await world.customer({ tier: "known", status: "frozen" }), "+13035552002")).toBe("account_frozen");
});

test("a call with a code is refused for expensive or paused destinations", async () => {
  const customer = await world.customer({ tier: "trusted" });
  expect(await callMe(customer, "+93701234567")).toBe("caller_number_refused");
  await world.database.handle.pool.query(
    "insert into breaker (id, kind, subject, inputs, opened_at, until) values (gen_random_uuid(), 'country', 'GB', '{}', now(), $1)",
    [new Date(world.clock.now().getTime() + 60_000)],
  );
  expect(await callMe(customer, "+442079461234")).toBe("destination_paused");
  expect(world.provider.commands).toEqual([]);
});

test("a call that the provider did not make is not counted", async () => {
  const customer = await world.customer({ tier: "known" });
  world.provider.numberFailure = { status: 422, only: "call" };
  for (let calls = 0; calls < 6; calls += 1) expect(await callMe(customer, "+13035552010")).toBe("caller_number_refused");
  world.provider.numberFailure = null;
  expect(await callMe(customer, "+13035552010")).toBe("called");
});

test("a number is called at most three times a day across accounts, and an account calls at most five times", async () => {
  const customers = await Promise.all([0, 1].map(() => world.customer({ tier: "known" })));
  const [first, second] = customers as [Customer, Customer];
  for (let calls = 0; calls < 3; calls += 1) expect(await callMe(first, "+13035552003")).toBe("called");
  expect(await callMe(second, "+13035552003")).toBe("rate_limited");
  expect(await callMe(first, "+13035552004")).toBe("called");
  expect(await callMe(first, "+13035552005")).toBe("called");
  expect(await callMe(first, "+13035552006")).toBe("rate_limited");
});
