import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { testDatabase, type TestDatabase } from "@farline/server/test/test-database.ts";
import { Command, CommanderError } from "commander";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../../test/run-command.ts";
import { addApprovalCommands } from "./approval-commands.ts";
import { addBreakerCommands } from "./breaker-commands.ts";
import { addCaseCommands } from "./case-commands.ts";
import { refuseUnknownCommands } from "./commands.ts";
import { addDeckCommands } from "./decks/deck-commands.ts";
import { addCustomerChangeCommands } from "./customers/customer-change-commands.ts";
import { addMoneyCommands } from "./money-commands.ts";
import { addOverviewCommand } from "./figures/overview-command.ts";
import { addPeopleCommands } from "./people/operator-commands.ts";
import { addPromoCommands } from "./promo-commands.ts";
import { addRefundRequestCommands } from "./refund-request-commands.ts";
import { addSettingCommands } from "./setting-commands.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

function addAll(program: Command): void {
  for (const add of [addApprovalCommands, addBreakerCommands, addCaseCommands, addDeckCommands, addMoneyCommands]) add(program);
  for (const add of [addOverviewCommand, addPeopleCommands, addPromoCommands, addRefundRequestCommands, addSettingCommands])
    add(program);
  addCustomerChangeCommands(program);
}
const farline = (...words: string[]) => runCommand(database, addAll, ...words);

test.each([
  ["approvals list", { proposals: [] }],
  ["breakers list", { spent_micros: "0", breakers: [] }],
  ["cases list", { cases: [] }],
  ["decks list", { decks: [], total: 0 }],
  ["operator list", { operators: expect.arrayContaining([expect.objectContaining({ role: "admin" })]) }],
  ["overview", { overview: { live: { answered: 0, cost: "0.00" }, today: { top_ups: 0 }, trunks: [] } }],
  ["promo list", { campaigns: [] }],
  ["refund-requests list", { requests: [] }],
  ["reconcile --last", { messages: ["There has been no comparison yet."] }],
  ["setting history mark-up.percent", { total: 0, definition: { unit: "percent", defaultValue: "40" } }],
])("%s --json prints one object", async (words, expected) => {
  const { code, output } = await farline(...words.split(" "), "--json");
  expect([code, JSON.parse(output)]).toEqual([0, expect.objectContaining({ exit: 0 })]);
  expect(JSON.parse(output)).toMatchObject(expected);
});

test("a refusal and a proposal are told apart by exit code, also in JSON", async () => {
  const set = (value: string, ...more: string[]) =>
    farline("setting", "set", "mark-up.percent", value, "--from", "now", "--reason", "Test", ...more);
  expect(await set("5")).toEqual({ code: 1, output: "mark-up.percent must be from 10 % to 300 %.\n" });
  const { code, output } = await set("200", "--json");
  expect([code, JSON.parse(output)]).toEqual([
    3,
    {
      error: expect.stringMatching(/^Nothing has changed yet\. mark-up\.percent would change from 40 % to 200 %;/),
      proposal: expect.stringMatching(/^[0-9a-f-]{36}$/),
      messages: [],
      exit: 3,
    },
  ]);
  const { output: changed } = await set("50");
  expect(changed).toMatch(/^mark-up\.percent is 50 % from .*\nPrices follow from it/);
});

test.each([
  ["setting set mark-up.percent 50", "--from says when it applies: now, or a time like 2026-12-01."],
  ["adjust ann@example.com --amount 5", "Say whether the amount is credit to add or to take: --add or --take."],
  ["adjust ann@example.com --amount 5 --add --take", "Say whether the amount is credit to add or to take: --add or --take."],
  ["refund 0199bbbb-0000-7000-8000-0000000000de", "--amount is an amount in dollars"],
  ["promo create GIFT --percent 10 --budget 5 --starts now --ends never", "--uses is needed. Without a bound: --uses any"],
  ["promo create GIFT --percent 10 --uses 5 --starts now --ends never", "--budget is needed. Without a bound: --budget any"],
  ["promo create GIFT --percent 10 --uses 5 --budget 5 --ends never", "--starts is needed. Without a bound: --starts now"],
  ["promo create GIFT --percent 10 --uses 5 --budget 5 --starts now", "--ends is needed. Without a bound: --ends never"],
])("'%s' gives, sells and starts nothing by default", async (words, said) => {
  const { code, output } = await farline(...words.split(" "), "--reason", "Test");
  expect([code, output]).toEqual([1, expect.stringContaining(said)]);
});

test.each([
  ["refnd", "unknown command 'refnd'\n(Did you mean refund?)"],
  ["decks imprt", "unknown command 'imprt'\n(Did you mean import?)"],
  ["start now", "too many arguments for 'start'"],
  ["decks --what", "unknown option '--what'"],
])("the mistyped command '%s' is refused by its own name", (words, said) => {
  const errors: string[] = [];
  const program = new Command("farline").exitOverride().configureOutput({ writeErr: (text) => void errors.push(text) });
  program.command("start", { isDefault: true }).action(() => undefined);
  addAll(program);
  refuseUnknownCommands(program);
  expect(() => program.parse(words.split(" "), { from: "user" })).toThrow(CommanderError);
  expect(errors.join("")).toContain(said);
});

test("a reader that closes the pipe early causes no stack trace, and the command ends as usual", async () => {
  const child = spawn(process.execPath, [MAIN, "decks", "import", "--help"], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  const errors: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => errors.push(String(chunk)));
  const [code] = await once(child, "close");
  expect([code, errors.join("")]).toEqual([0, ""]);
});
