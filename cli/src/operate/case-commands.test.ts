import { newCustomer } from "@farline/server/test/new-customer.ts";
import { testDatabase, type TestDatabase } from "@farline/server/test/test-database.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../../test/run-command.ts";
import { addCaseCommands } from "./case-commands.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const operate = (...words: string[]) => runCommand(database, addCaseCommands, "cases", ...words);

test("questions can be listed, read, answered and closed, and customers' texts cannot control the terminal", async () => {
  const { id, email } = await newCustomer(database.handle);
  const { rows } = await database.handle.pool.query<{ number: string }>(
    `insert into support_case (id, customer_id, topic, message, created_at)
     values (gen_random_uuid(), $1, 'charge', $2, '2026-03-01T12:00:00Z') returning number::text`,
    [id, "Why 61 seconds?\n\u001b[2JGone"],
  );
  const number = rows[0]?.number ?? "none";
  const head = `${number}  2026-03-01T12:00:00.000Z  charge  ${email}`;
  expect((await operate("list")).output).toBe(`${head}\n  "Why 61 seconds?  [2JGone"\n1 wait for an answer.\n`);
  expect((await operate("show", number)).output).toBe(`${head}  open\ncustomer ${id}\n  Why 61 seconds?\n   [2JGone\n`);
  expect(await operate("show", "7")).toEqual({ code: 1, output: "There is no case 7.\n" });
  expect(await operate("answer", number, "--answer", "Two steps.")).toEqual({
    code: 0,
    output: "The answer is on its way to the customer.\n",
  });
  expect((await operate("close", number, "--reason", "Done")).output).toBe("The question is closed.\n");
  const { rows: done } = await database.handle.pool.query("select operator, action from operation order by id");
  expect(done).toEqual([
    { operator: "grace", action: "answer-case" },
    { operator: "grace", action: "close-case" },
  ]);
});
