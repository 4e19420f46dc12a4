import { newCustomer } from "@farline/server/test/new-customer.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandWorld, type CommandWorld } from "../../test/run-command.ts";

let world: CommandWorld;
beforeAll(async () => {
  world = await commandWorld();
});
afterAll(() => world.close());

const operate = (...words: string[]) => world.run("grace", "cases", ...words);

test("questions can be listed, read, answered and closed, and customers' texts cannot control the terminal", async () => {
  const { id, email } = await newCustomer(world.database.handle);
  const { rows } = await world.database.handle.pool.query<{ number: string }>(
    `insert into support_case (id, customer_id, topic, message, created_at)
     values (gen_random_uuid(), $1, 'charge', $2, '2026-03-01T12:00:00Z') returning number::text`,
    [id, "Why 61 seconds?\n\u001b[2JGone"],
  );
  const number = rows[0]?.number ?? "none";
  const head = `Question ${number}  A charge  open  2026-03-01T12:00:00.000Z  ${email}`;
  expect((await operate("list")).output).toMatch(
    new RegExp(
      `^Question  a charge  due \\S+  ${email}  case ${number}\n  "Why 61 seconds\\?  \\[2JGone"\n1 waits for an operator\\.\n$`,
    ),
  );
  expect((await operate("show", number)).output).toBe(`${head}\ncustomer ${id}\n  Why 61 seconds?\n   [2JGone\n`);
  expect(await operate("show", "7")).toEqual({ code: 1, output: "There is no case 7.\n" });
  expect(await operate("answer", number, "--answer", "Two steps.")).toEqual({
    code: 0,
    output: "The answer is on its way to the customer.\n",
  });
  expect((await operate("close", number, "--reason", "Done")).output).toBe("The question is closed.\n");
  const { rows: done } = await world.database.handle.pool.query("select operator, action from operation order by id");
  expect(done).toEqual([
    { operator: "grace", action: "answer-case" },
    { operator: "grace", action: "close-case" },
  ]);
});
