import { newCustomer } from "@farline/server/test/new-customer.ts";
import { operatorHome } from "@farline/server/test/operators.ts";
import { insertPastCalls } from "@farline/server/test/past-calls.ts";
import { testDatabase, type TestDatabase } from "@farline/server/test/test-database.ts";
import { Command } from "commander";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { addCustomerCommands } from "./customer-commands.ts";
import { addFindCommand } from "./find-commands.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  vi.stubEnv("HOME", await operatorHome((query, values) => database.handle.pool.query(query, values), "grace"));
  vi.stubEnv("DATABASE_URL", database.url);
  vi.stubEnv("STRIPE_SECRET_KEY", "sk_test_farline");
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Runs a command in this process, which is much faster than in a shell. */
async function farline(...words: string[]): Promise<string> {
  let output = "";
  const keep = (text: unknown) => {
    output += String(text);
    return true;
  };
  vi.spyOn(process.stdout, "write").mockImplementation(keep);
  vi.spyOn(process.stderr, "write").mockImplementation(keep);
  const program = new Command();
  addFindCommand(program);
  addCustomerCommands(program);
  await program.parseAsync(words, { from: "user" });
  vi.restoreAllMocks();
  return output;
}

test("find, customer and story lead from a number to everything that happened to its caller", async () => {
  const { id, email } = await newCustomer(database.handle);
  await insertPastCalls(database.handle.db, [{ customerId: id, createdAt: new Date("2026-11-24T12:00:00Z") }]);
  const found = await farline("find", "+44 20", "7946 0000");
  const customer = await farline("customer", email);
  const story = await farline("story", id, "--json");
  expect(found).toMatch(/^call {2}\S+ {2}2026-11-24T12:00:00.000Z {2}\$0.06 {2}\+442079460000 completed/);
  expect(found).toContain(`${email}  customer ${id}`);
  expect(customer).toContain("Balance $0.00, held $0.00, debt $0.00, bonus $0.00, can withdraw $0.00\nTier unverified");
  expect(JSON.parse(story)).toMatchObject({
    entries: [
      { type: "operation", state: "search" },
      { type: "call", amount: "0.06", state: "completed", text: "+442079460000, hangup, 60 s", can: [] },
    ],
    next_cursor: null,
  });
});

test("find refuses a number without its country code", async () => {
  expect(await farline("find", "07400 123456")).toBe("Write the number with + and its country code, without spaces.\n");
  expect(process.exitCode).toBe(1);
  process.exitCode = undefined;
});
