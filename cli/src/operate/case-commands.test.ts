import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { operatorHome } from "@farline/server/test/operators.ts";
import { newCustomer } from "@farline/server/test/new-customer.ts";
import { testDatabase, type TestDatabase } from "@farline/server/test/test-database.ts";
import { afterAll, beforeAll, expect, test } from "vitest";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

let database: TestDatabase;
let home: string;
beforeAll(async () => {
  database = await testDatabase();
  home = await operatorHome((sql, values) => database.handle.pool.query(sql, values), "grace");
});
afterAll(() => Promise.all([database.close(), rm(home, { recursive: true })]));

/** Runs a command as in a shell. Returns its exit code and output. */
function operate(...words: string[]): Promise<{ code: number; output: string }> {
  const env = { PATH: process.env["PATH"] ?? "", DATABASE_URL: database.url, STRIPE_SECRET_KEY: "sk_test_farline", HOME: home };
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, "cases", ...words], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });
}

test("questions can be listed, read, answered and closed, and customers' texts cannot control the terminal", async () => {
  const { id, email } = await newCustomer(database.handle);
  const { rows } = await database.handle.pool.query<{ number: string }>(
    `insert into support_case (id, customer_id, topic, message, created_at)
     values (gen_random_uuid(), $1, 'charge', $2, '2026-03-01T12:00:00Z') returning number::text`,
    [id, "Why 61 seconds?\n\u001b[2JGone"],
  );
  const number = rows[0]?.number ?? "none";
  const head = `${number}  2026-03-01T12:00:00.000Z  charge  ${email}`;
  const [listed, shown, unknown] = await Promise.all([operate("list"), operate("show", number), operate("show", "7")]);
  expect(listed.output).toBe(`${head}\n  "Why 61 seconds?  [2JGone"\n1 wait for an answer.\n`);
  expect(shown.output).toBe(`${head}  open\ncustomer ${id}\n  Why 61 seconds?\n   [2JGone\n`);
  expect(unknown).toEqual({ code: 1, output: "There is no case 7.\n" });
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
