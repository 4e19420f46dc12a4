import { newCustomer } from "@farline/server/test/new-customer.ts";
import { insertPastCalls } from "@farline/server/test/past-calls.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandWorld, type CommandWorld } from "../../test/run-command.ts";

let world: CommandWorld;
beforeAll(async () => {
  world = await commandWorld();
});
afterAll(() => world.close());
const farline = (...words: string[]) => world.run("grace", ...words);

test("find, customer and timeline lead from a number to everything that happened to its caller", async () => {
  const { id, email } = await newCustomer(world.database.handle);
  await insertPastCalls(world.database.handle.db, [{ customerId: id, createdAt: new Date("2026-11-24T12:00:00Z") }]);
  const { output: found } = await farline("find", "+44 20", "7946 0000");
  const { output: customer } = await farline("customer", email);
  const { output: timeline } = await farline("timeline", id, "--json");
  expect(found).toMatch(/^Call \+442079460000 {2}completed {2}2026-11-24T12:00:00.000Z {2}\$0\.06 {2}/);
  expect(found).toMatch(new RegExp(`${email}  id \\S+  customer ${id}`));
  expect(customer).toContain("Balance $0.00\nTrust: Unconfirmed. 0 days");
  expect(JSON.parse(timeline)).toMatchObject({
    entries: [
      { type: "operation", kind: "search" },
      {
        type: "call",
        amount: "0.06",
        state: "completed",
        facts: { number: "+442079460000", end_reason: "hangup", billed_seconds: 60 },
        can: ["refund-call"],
      },
    ],
    next_cursor: null,
  });
});

test("find refuses a number without its country code", async () => {
  expect(await farline("find", "07400 123456")).toEqual({
    code: 1,
    output: "Write the number with + and its country code, without spaces.\n",
  });
});
