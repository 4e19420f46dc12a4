import { newCustomer } from "@farline/server/test/new-customer.ts";
import { insertPastCalls } from "@farline/server/test/past-calls.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandWorld, type CommandWorld } from "../../test/run-command.ts";

let world: CommandWorld;
beforeAll(async () => {
  world = await commandWorld();
});
afterAll(() => world.close());

const show = (id: string) => world.run("grace", "call", id);

test("call prints a call's price, charge, trunk, cost, margin, attempts and decision", async () => {
  const { db, pool } = world.database.handle;
  const { id: customerId, email } = await newCustomer(world.database.handle);
  const [id] = await insertPastCalls(db, [{ customerId, createdAt: new Date("2026-11-24T12:00:00Z") }]);
  const took = { started_at: "2026-11-24T12:00:02.000Z", duration_ms: 90, q850_cause: null, post_dial_delay_ms: null };
  const attempts = [
    { ...took, trunk: "main\u001b[2J", sip_status: 503, q850_cause: 41, outcome: "failed" },
    { ...took, trunk: "other", sip_status: null, outcome: "silent" },
    { ...took, trunk: "spare", sip_status: 200, outcome: "answered" },
  ];
  await pool.query("update call set trunk = 'spare', carrier_cost_micros = 20000, trunk_attempts = $2 where id = $1", [
    id,
    JSON.stringify(attempts),
  ]);
  const shown = await show(id ?? "");
  expect(shown).toEqual({
    code: 0,
    output: [
      `Call ${id} of ${email}, customer ${customerId}`,
      "To +442079460000, United Kingdom mobile, shown as -",
      "Hung up",
      "Requested 2026-11-24T12:00:00.000Z, answered 2026-11-24T12:00:05.000Z, ended 2026-11-24T12:01:05.000Z",
      "Price $0.0600 a minute, 1/1 s, prefix 44 of deck 00000000-0000-7000-8000-000000000001",
      "Charged $0.06 for 1 min",
      "Trunk spare, cost $0.02, margin $0.04",
      "  1. main [2J: Failed at the carrier after 90 ms (SIP 503, carrier unavailable; Q.850 41, temporary network failure), 2026-11-24T12:00:02.000Z",
      "  2. other: The carrier did not respond after 90 ms (no response), 2026-11-24T12:00:02.000Z",
      "  3. spare: Answered after 90 ms (SIP 200, answered), 2026-11-24T12:00:02.000Z",
      "Allowed $0.060001 and 120 min, bounded by: The customer's credit\n",
    ].join("\n"),
  });
  await pool.query("update call set trunk_attempts = null where id = $1", [id]);
  expect((await show(id ?? "")).output).toContain("\n  The call was not sent to a carrier.\n");
  expect(await show("no-such-call")).toEqual({ code: 1, output: "There is no call no-such-call.\n" });
});

test("calls lists the live ones, hangs up a customer's, and settles those of a lost exchange", async () => {
  const { handle } = world.database;
  const { id: customerId, email } = await newCustomer(handle);
  await insertPastCalls(handle.db, [{ customerId, createdAt: new Date() }]);
  await handle.pool.query(
    `update call set status = 'in-progress', ended_at = null, end_reason = null, charge_micros = 0, next_check_at = now(),
      parked_call_control_id = 'v3:a.' || repeat('0', 32) where customer_id = $1`,
    [customerId],
  );
  const calls = (...words: string[]) => world.run("grace", "calls", ...words);
  const listed = (await calls()).output;
  expect(listed).toMatch(/Talking {2}since .* exchange a {2}/);
  expect(listed).toContain(`${email}\n1 live call\n`);
  expect(await calls("hang-up", "--reason", "Fraud")).toEqual({
    code: 1,
    output: "Name a call, or --customer, or --prefix.\n",
  });
  expect((await calls("hang-up", "--customer", email, "--reason", "Fraud")).output).toBe("1 call is being hung up.\n");
  expect((await calls("hang-up", "--prefix", "49", "--reason", "Fraud")).output).toBe("These calls had already ended.\n");
  expect((await calls("settle-lost", "b", "--reason", "Gone")).output).toBe("The exchange has no live call.\n");
});
