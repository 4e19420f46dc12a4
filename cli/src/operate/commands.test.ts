import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Command, CommanderError } from "commander";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { commandWorld, type CommandWorld } from "../../test/run-command.ts";
import { addSignInCommands } from "../client/sign-in-commands.ts";
import { addCommonOptions, refuseUnknownCommands } from "../command.ts";
import { addDoctorCommand } from "../doctor/doctor-command.ts";
import { addDatabaseCommands } from "../machine/database-commands.ts";
import { addKeysCommand } from "../machine/keys-command.ts";
import { addLogCommand } from "../machine/log-command.ts";
import { addFirstAdmin } from "../machine/own-context.ts";
import { addTelnyxCommands } from "../machine/telnyx-commands.ts";
import { addOperatorCommands } from "./operator-commands.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

let world: CommandWorld;
beforeAll(async () => {
  world = await commandWorld();
});
afterAll(() => world.close());
const farline = (...words: string[]) => world.run("grace", ...words);

test.each([
  ["approvals list", { proposals: [], total: 0 }],
  ["breakers list", { spent: "0.00", breakers: [] }],
  ["cases list", { cases: [], total: 0 }],
  ["decks list", { decks: [], total: 0 }],
  ["operator list", { operators: expect.arrayContaining([expect.objectContaining({ role: "admin" })]) }],
  ["overview", { overview: { live: { answered: 0, cost: "0.00" }, today: { top_ups: 0 }, trunks: [] } }],
  ["promo list", { campaigns: [] }],
  ["refund-requests list", { requests: [], total: 0 }],
  ["queue", { queue: [], total: 0 }],
  ["calls live", { calls: [] }],
  ["figures", { figures: { days: [] } }],
  ["reconcile --last", { messages: ["There has been no comparison yet."] }],
  ["setting list", { settings: expect.arrayContaining([expect.objectContaining({ name: "mark-up.percent", value: "40 %" })]) }],
  ["setting history mark-up.percent", { total: 0, name: "mark-up.percent", default: "40 %" }],
])("%s --json prints one object", async (words, expected) => {
  const { code, output } = await farline(...words.split(" "), "--json");
  expect([code, JSON.parse(output)]).toEqual([0, expect.objectContaining({ exit: 0 })]);
  expect(JSON.parse(output)).toMatchObject(expected);
});

test("a refusal and a proposal have different exit codes, also in JSON", async () => {
  const set = (value: string, ...more: string[]) =>
    farline("setting", "set", "mark-up.percent", value, "--from", "now", "--reason", "Test", ...more);
  expect(await set("5")).toEqual({
    code: 1,
    output: '"Mark-up: percentage added to carrier prices" must be from 10 % to 300 %.\n',
  });
  const { code, output } = await set("200", "--json");
  expect([code, JSON.parse(output)]).toEqual([
    3,
    {
      error: expect.stringMatching(
        /^Nothing has changed yet\. "Mark-up: percentage added to carrier prices" would change from 40 % to 200 %;.* other than you /,
      ),
      proposal: expect.stringMatching(/^[0-9a-f-]{36}$/),
      messages: [],
      exit: 3,
    },
  ]);
  expect(await set("50")).toEqual({ code: 0, output: "The setting is changed. Running services take it within a minute.\n" });
});

test.each([
  ["setting set mark-up.percent 50", "--from is needed: when it applies, ISO 8601, or now."],
  ["setting set mark-up.percent 50 --from soon", "--from is a time like 2026-12-01 or 2026-12-01T08:00:00Z."],
  ["adjust ann@example.com --amount 5", "Say whether the amount is credit to add or to take: --add or --take."],
  ["adjust ann@example.com --amount 5 --add --take", "Say whether the amount is credit to add or to take: --add or --take."],
  ["refund 0199bbbb-0000-7000-8000-0000000000de", "--amount is needed: how much, or all."],
  ["decks activate 0199bbbb-0000-7000-8000-0000000000de", "--effective is needed: when it is active, ISO 8601, or now."],
  [
    "promo create GIFT --percent 10 --budget 5 --starts now --ends never",
    "--uses is needed: how many top-ups may use it, or any.",
  ],
  ["promo create GIFT --percent 10 --uses 5 --starts now --ends never", "--budget is needed"],
  ["promo create GIFT --percent 10 --uses 5 --budget 5 --ends never", "--starts is needed"],
  ["promo create GIFT --percent 10 --uses 5 --budget 5 --starts now", "--ends is needed"],
  ["promo create GIFT --percent ten --uses 5 --budget 5 --starts now --ends never", "--percent is a whole number."],
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
  addOperatorCommands(program, addFirstAdmin);
  refuseUnknownCommands(program);
  expect(() => program.parse(words.split(" "), { from: "user" })).toThrow(CommanderError);
  expect(errors.join("")).toContain(said);
});

test.each([
  ["freeze ada@example.com --because review --json", "required option '--reason <text>' not specified"],
  ["queue --kind nothing --json", "option '--kind <kind>' argument 'nothing' is invalid. Allowed choices are"],
  ["decks imprt --json", "unknown command 'imprt'\n(Did you mean import?)"],
  ["--json refnd", "unknown option '--json'"],
])("'%s' is refused with one object", (words, said) => {
  const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const program = wholeProgram(new Command("farline").exitOverride());
  expect(() => program.parse(words.split(" "), { from: "user" })).toThrow(CommanderError);
  const output = written.mock.calls.map(([text]) => String(text)).join("");
  written.mockRestore();
  expect(JSON.parse(output)).toEqual({ error: expect.stringContaining(said), messages: [], exit: 1 });
});

test("only these commands need the machine of the installation, and their help says so; all others take an address", () => {
  const program = wholeProgram();
  const all = leaves(program, "").map(({ name, command }) => {
    let help = "";
    command.configureOutput({ writeOut: (text) => void (help += text) }).outputHelp();
    return {
      name,
      isLocal: help.includes("Runs on the machine of the installation"),
      hasAddress: help.includes("--at <address>"),
    };
  });
  const local = [
    "migrate",
    "verify-ledger",
    "events archive",
    "events restore",
    "restore begin",
    "restore check",
    "doctor",
    "keys",
    "log",
    "telnyx check",
    "telnyx setup",
  ];
  expect(all.filter(({ isLocal }) => isLocal).map(({ name }) => name)).toEqual(local);
  expect(all.filter(({ hasAddress }) => !hasAddress).map(({ name }) => name)).toEqual(local);
});

test("a reader that closes the pipe early causes no stack trace, and the command ends as usual", async () => {
  const child = spawn(process.execPath, [MAIN, "decks", "import", "--help"], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  const errors: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => errors.push(String(chunk)));
  const [code] = await once(child, "close");
  expect([code, errors.join("")]).toEqual([0, ""]);
});

/** What stands in code on the operators' pages: in a sentence, or as a line of its own. */
function commandsOf(page: string): string[] {
  const text = readFileSync(page, "utf8");
  const lines = [...text.matchAll(/^ *```.*\n([^]*?)^ *```/gm)].flatMap(([, block = ""]) => block.split("\n"));
  const inWords = [...text.replaceAll(/^ *```[^]*?^ *```/gm, "").matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
  return [...lines, ...inWords].flatMap((line) => {
    const [, command = ""] = /(?:npm run (?:-s )?cli --|(?:^|systemd\/)farline)\s+(?=[a-z])([^]+)$/.exec(line.trim()) ?? [];
    // "decks …" stands for several.
    return command === "" || /^[a-z]+ …$/.test(command) ? [] : [command];
  });
}

test.each(globSync("docs/{operate,runbooks}/*.md"))("each command on %s can be typed as it stands there", (page) => {
  const wrong = commandsOf(page).flatMap((command) => {
    const errors: string[] = [];
    const program = wholeProgram(
      new Command("farline").exitOverride().configureOutput({ writeErr: (text) => errors.push(text) }),
    );
    for (const one of leaves(program, "")) one.command.action(() => undefined);
    const words = [...command.matchAll(/"([^"]*)"|<[^>]*>|\S+/g)].map(([word, quoted]) => quoted ?? word);
    try {
      program.parse(words, { from: "user" });
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
    }
    return errors.map((error) => `${command}: ${error}`);
  });
  expect(wrong).toEqual([]);
});

/** All commands but `start`. */
function wholeProgram(program = new Command("farline")): Command {
  addSignInCommands(program);
  addOperatorCommands(program, addFirstAdmin);
  for (const add of [addDatabaseCommands, addDoctorCommand, addKeysCommand, addLogCommand, addTelnyxCommands]) add(program);
  addCommonOptions(program);
  refuseUnknownCommands(program);
  return program;
}

function leaves(command: Command, name: string): { name: string; command: Command }[] {
  return command.commands.length === 0
    ? [{ name, command }]
    : command.commands.flatMap((one) => leaves(one, `${name} ${one.name()}`.trim()));
}
