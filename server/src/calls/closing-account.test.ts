import { afterAll, beforeAll, expect, test } from "vitest";
import { createCallWorld, LONDON, type CallWorld } from "../../test/worlds/call-world.ts";
import type { Customer } from "../accounts/accounts.ts";

let world: CallWorld;
let caller: Customer;
beforeAll(async () => {
  world = await createCallWorld();
  caller = await world.customer();
  // As a session reads it from the customer's row.
  Object.assign(caller, { status: "closing" });
});
afterAll(() => world.close());

test.each([
  ["POST", "/api/calls/initiate", { destination_number: LONDON }],
  ["POST", "/api/calls/echo-test", undefined],
  ["GET", "/api/calls/token", undefined],
  ["POST", "/api/calls/caller-id/checks", { phone_number: LONDON }],
])("a closing account is refused: %s %s", async (method, path, body) => {
  const answer = await world.request<{ code: string }>(caller, { method, path, ...(body === undefined ? {} : { body }) });
  expect([answer.status, answer.body.code]).toEqual([403, "account_closing"]);
});

test("a closing account's quote contains the refusal", async () => {
  const { body } = await world.request(caller, {
    method: "POST",
    path: "/api/calls/quote",
    body: { destination_number: LONDON },
  });
  expect(body).toMatchObject({ max_seconds: null, refusal: { code: "account_closing" } });
});
