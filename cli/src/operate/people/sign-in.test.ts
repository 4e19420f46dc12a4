import { mkdtempSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { confirmCommandLine } from "@farline/server/operator/operator.ts";
import { asOperator, testContext } from "@farline/server/test/test-context.ts";
import { testDatabase, type TestDatabase } from "@farline/server/test/test-database.ts";
import type { Command } from "commander";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../../../test/run-command.ts";
import { addMoneyCommands } from "../money-commands.ts";
import { addPeopleCommands } from "./operator-commands.ts";
import { addSignInCommands } from "./sign-in-commands.ts";

let database: TestDatabase;
let home: string;
beforeAll(async () => {
  database = await testDatabase();
  home = mkdtempSync(join(tmpdir(), "farline-sign-in-"));
});
afterAll(() => Promise.all([database.close(), rm(home, { recursive: true })]));

function addCommands(program: Command): void {
  addSignInCommands(program);
  addPeopleCommands(program);
  addMoneyCommands(program);
}

/** Runs a command in a home of its own. */
const run = (...words: string[]) => runCommand({ ...database, home }, addCommands, ...words);

/** Runs `sign-in` and confirms its code as an operator would in the console. */
async function signIn(name: string): Promise<string> {
  let confirmed: Promise<unknown> | undefined;
  const onOutput = (output: string) => {
    const code = /confirm the code (\S+)\./.exec(output)?.[1];
    if (code !== undefined) confirmed ??= confirmCommandLine(asOperator(testContext({ handle: database.handle }), name), code);
  };
  const { output } = await runCommand({ ...database, home, onOutput }, addCommands, "sign-in");
  await confirmed;
  return output;
}

test("a command changes things only as the operator who has signed in, within their role", async () => {
  const freeze = () => run("freeze", "nobody@example.com", "--because", "review", "--reason", "A test");
  expect(await freeze()).toEqual({
    code: 1,
    output: "You are not signed in as an operator, or your session has ended. Run: npm run cli -- sign-in\n",
  });
  expect(await signIn("eve")).toContain("Signed in as eve.");
  expect(statSync(join(home, ".farline", "localhost-3000.token")).mode & 0o777).toBe(0o600);
  expect(await freeze()).toEqual({ code: 1, output: "There is no customer nobody@example.com.\n" });
  expect(await run("operator", "add", "joan@example.com", "--role", "support")).toEqual({
    code: 1,
    output: "The role support does not allow this.\n",
  });
  expect((await run("sign-out")).output).toBe("Signed out.\n");
  const { rows } = await database.handle.pool.query("select 1 from operator_session");
  expect(rows).toEqual([]);
});

test("the first administrator is added on the command line of an installation without one", async () => {
  expect(await run("operator", "add", "joan@example.com", "--role", "support")).toEqual({
    code: 1,
    output: "You are not signed in, so only the first administrator can be added: --role admin.\n",
  });
  const added = await run("operator", "add", "joan@example.com", "--role", "admin");
  expect(added.output).toMatch(/It works once\.\nhttp:\/\/localhost:3000\/operator\/invitation#fo_[\w-]{43}\n$/);
});
