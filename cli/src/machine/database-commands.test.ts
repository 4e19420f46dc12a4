import { DOLLAR, ledgerAccount } from "@farline/server/test/ledger-account.ts";
import { testDatabase, type TestDatabase } from "@farline/server/test/test-database.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../../test/run-command.ts";
import { run } from "../command.ts";
import { addDatabaseCommands } from "./database-commands.ts";

let database: TestDatabase;
let caller: Awaited<ReturnType<typeof ledgerAccount>>;
beforeAll(async () => {
  database = await testDatabase();
  caller = await ledgerAccount(database.handle, 5n * DOLLAR);
  await caller.call(DOLLAR);
});
afterAll(() => database.close());

const verify = (...options: string[]) =>
  runCommand({ home: "", url: "", databaseUrl: database.url }, addDatabaseCommands, "verify-ledger", ...options);
const addToBalance = (micros: number) =>
  database.handle.pool.query("update account set balance_micros = balance_micros + $1 where customer_id = $2", [
    micros,
    caller.id,
  ]);

test("a ledger that adds up exits with 0, one that does not with 2 and says where", async () => {
  expect(await verify()).toEqual({ code: 0, output: "The ledger adds up.\n" });
  const { output: clean } = await verify("--json");
  expect(JSON.parse(clean)).toEqual({ drift: [], messages: [], exit: 0 });

  await addToBalance(3);
  const { code, output } = await verify();
  const line = `balance_is_sum_of_entries  ${caller.id}  expected 4000000  actual 4000003\n`;
  expect([code, output.endsWith(line)]).toEqual([2, true]);
  const { code: faults, output: json } = await verify("--json");
  const drift = [{ check: "balance_is_sum_of_entries", id: caller.id, expected: "4000000", actual: "4000003" }];
  expect([faults, JSON.parse(json.slice(json.indexOf("{\n")))]).toEqual([2, { drift, messages: [], exit: 2 }]);

  await addToBalance(-3);
  expect((await verify()).code).toBe(0);
});

test("a database that lets nobody in, or is unfit, is said in a sentence", async () => {
  const migrate = (databaseUrl: string) => runCommand({ home: "", url: "", databaseUrl }, addDatabaseCommands, "migrate");
  const wrong = Object.assign(new URL(database.url), { password: "wrong" });
  expect(await migrate(wrong.href)).toEqual({
    code: 1,
    output: `It cannot be done: password authentication failed for user "${wrong.username}".\n`,
  });
  const translated = Object.assign(new Error("Datenbank »farline« existiert nicht"), {
    code: "3D000",
    severity: "SCHWERWIEGEND",
  });
  const refused = runCommand(
    { home: "", url: "" },
    (program) => {
      program.command("translated").action(run(() => Promise.reject(translated)));
    },
    "translated",
  );
  expect(await refused).toEqual({ code: 1, output: "It cannot be done: Datenbank »farline« existiert nicht.\n" });
  const { pathname } = new URL(database.url);
  await database.handle.pool.query(`alter database ${pathname.slice(1)} set default_transaction_read_only = on`);
  expect(await migrate(database.url)).toEqual({
    code: 1,
    output: expect.stringMatching(/^The database has transaction_read_only = "on", which must be "off"\. Find out why .*\n$/),
  });
});
