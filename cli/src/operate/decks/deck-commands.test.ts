import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newCustomer } from "@farline/server/test/new-customer.ts";
import { testDatabase, type TestDatabase } from "@farline/server/test/test-database.ts";
import { insertPaid } from "@farline/server/test/worlds/call-world.ts";
import type { Command } from "commander";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../../../test/run-command.ts";
import { addApprovalCommands } from "../approval-commands.ts";
import { addDeckCommands } from "./deck-commands.ts";

const WHY = ["--reason", "December list"];
const SALE = ["--kind", "sale"];

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  [database, folder] = await Promise.all([testDatabase(), mkdtemp(join(tmpdir(), "decks-"))]);
  // Until a customer has paid, a first deck needs no second operator.
  const { id } = await newCustomer(database.handle);
  await insertPaid(database.handle.db, id, { dollars: 5, at: new Date() });
});
afterAll(() => Promise.all([database.close(), rm(folder, { recursive: true })]));

function addCommands(program: Command): void {
  addDeckCommands(program);
  addApprovalCommands(program);
}
const operate = (...words: string[]) => command("decks", ...words);
const command = (...words: string[]) => runCommand(database, addCommands, ...words);
const asAda = (...words: string[]) => runCommand({ ...database, operator: "ada" }, addCommands, ...words);

test("an operator tries a list, mends it, stores it, a second one puts it in force, and it is listed and cancelled", async () => {
  const path = join(folder, "acme.csv");
  await writeFile(path, "Prefix,Destination,Rate,Billing\n44,UK\u001b[2J,0.02,1/1\n49,Germany,soon,60/60\n");
  const badRows = join(folder, "bad-rows.csv");
  const tried = await operate("import", path, ...SALE, ...WHY, "--bad-rows", badRows);
  expect(tried.code).toBe(2);
  expect(await readFile(badRows, "utf8")).toMatch(
    /"Line","Problem","Row"\r\n"3","not a price.*","49 \| Germany \| soon \| 60\/60"\r\n$/,
  );
  for (const line of [
    "No deck is in force.",
    "1 rows: not a price.",
    "  line 3: 49 | Germany | soon | 60/60",
    "Prices that customers pay: the carrier's prices in the file plus our mark-up.",
    '  1 row whose price is "soon": --skip-word "price_form=soon"',
    "Some rows cannot be used. Correct them or leave them out. Pass their words with --skip-word, or their lines with --skip.",
    "Nothing is stored.",
  ])
    expect(tried.output.split("\n")).toContain(line);
  // Jersey and others have the UK's calling code, but no row.
  expect(tried.output).toMatch(/prefixes of 3 countries are not sold.* Jersey \(\+\d+, under line 2\)/);
  const inEuros = join(folder, "euros.csv");
  await writeFile(inEuros, "Prefix,Destination,Rate (€/min),Billing\n44,UK,0.02,1/1\n");
  expect(await operate("import", inEuros, ...SALE, ...WHY)).toMatchObject({ code: 2 });
  const refused = await operate("import", path, ...SALE, ...WHY);
  expect([refused.code, refused.output.endsWith("\nNothing is stored.\n")]).toEqual([2, true]);
  const order = ["import", path, ...SALE, "--skip-word", "price_form=soon", "--effective", "now", "--name", "Acme", ...WHY];
  const seen = await operate(...order);
  expect([seen.code, (await database.handle.pool.query("select from deck")).rowCount]).toEqual([0, 0]);
  const preview = previewIn(seen.output);
  const other = await operate(...order, "--skip", "3", "--preview", preview);
  expect(other).toMatchObject({ code: 2, output: expect.stringContaining("differ from what you looked at") });
  const stored = await operate(...order, "--preview", preview);
  const { rows } = await database.handle.pool.query<{ id: string }>("select id from deck");
  const id = rows[0]?.id;
  expect(stored.code).toBe(3);
  expect(stored.output).toMatch(
    new RegExp(`\nStored as deck ${id}\\.\nNothing has changed yet\\. No deck is in force .* an operator other than grace `),
  );
  const proposals = await command("approvals");
  expect(proposals.output).toMatch(
    new RegExp(
      `  activate-deck  ${id}  deck Acme, starts now, replaces none\n  No deck is in force .*\n  grace, .*: December list\n`,
    ),
  );
  const [proposal = ""] = proposals.output.split(" ");
  const confirmed = await asAda("approvals", "confirm", proposal);
  expect(confirmed).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^Acme is in force from .* take it within a minute\.\n$/),
  });
  const trunkOrder = ["import", path, "--kind", "trunk", "--trunk", "acme", "--skip", "3", "--effective", "now", ...WHY];
  expect((await operate(...trunkOrder)).output).toContain("If it is a new one, write its name again. Pass it with --new-trunk.");
  const named = [...trunkOrder, "--new-trunk", "acme"];
  const ofTrunk = await operate(...named, "--preview", previewIn((await operate(...named)).output));
  expect(ofTrunk.output).toMatch(/\nNo deck of this trunk is in force\.\n(?:.*\n)+acme\.csv is in force for trunk acme from /);
  const listed = await operate();
  expect(listed.output).toMatch(
    new RegExp(
      String.raw`^\S+  acme\.csv  trunk acme, \d+ prices, stored .*\n  from .*\n` +
        String.raw`${id}  Acme  \d+ prices, stored .*\n  from .*, by ada: December list\n2 decks\.\n$`,
    ),
  );
  const price = await operate("price", "020 7946 0958", "--country", "gb");
  expect(price.output).toMatch(
    /^\+44 20 7946 0958: United Kingdom, landline, risk watch .*\nAcme, from .*: Sold at this price\.\n {2}\+44\d* UK .*\n {2}cost \$0\.0200 a minute in 1\/1, sold for /,
  );
  expect((await operate("history", "GB")).output).toMatch(
    /^United Kingdom:\nfrom .*, Acme\n {2}\w+, \d+ prefixes: cost \$0\.0200, sold for /,
  );
  const cancelled = await operate("cancel", id ?? "", ...WHY);
  expect(cancelled.output).toMatch(/^Cancelled: 20\d\d-.*Z\. Running services take it within a minute\.\n$/);
  expect((await operate("cancel", id ?? "", ...WHY)).output).toContain("Acme does not wait for its time.");
  const again = await operate("import", path, ...SALE, "--kind-sure", "--skip", "3", ...WHY);
  const backwards = await operate("roll-back", ...SALE, ...WHY);
  const unclear = await operate("activate", id ?? "", "--at", "soon", ...WHY);
  expect(again.output).toContain(`Deck ${id} has the same prices. Activate that one.`);
  expect(backwards).toEqual({ code: 1, output: "No other deck was in force before, so there is none to go back to.\n" });
  expect(unclear).toEqual({ code: 1, output: "--at is a time like 2026-12-01 or 2026-12-01T08:00:00Z.\n" });
});

test("no command assumes what a list prices, or when a deck begins", async () => {
  const path = join(folder, "kinds.csv");
  await writeFile(path, "Prefix,Destination,Rate,Billing\n44,UK,0.02,1/1\n");
  for (const [words, said] of [
    [["import", path], "Say what it prices: --kind sale"],
    [["import", path, "--trunk", "acme"], "Say what it prices: --kind sale"],
    [["import", path, "--kind", "costs"], "Say what it prices: --kind sale"],
    [["import", path, "--kind", "trunk"], "--kind trunk needs --trunk"],
    [["import", path, "--kind", "trunk", "--trunk", " "], "--kind trunk needs --trunk"],
    [["import", path, ...SALE, "--trunk", "acme"], "belong to no trunk"],
    [["roll-back"], "Say what it prices: --kind sale"],
    [["activate", "0123"], "--at says from when"],
  ] as const) {
    const { code, output } = await operate(...words, ...WHY);
    expect([code, output]).toEqual([1, expect.stringContaining(said)]);
  }
});

test("a roll-back shows both decks before it changes anything", async () => {
  const bring = async (name: string, rate: string) => {
    const path = join(folder, `${name}.csv`);
    await writeFile(path, `Prefix,Destination,Rate,Billing\n49,Germany,${rate},1/1\n`);
    const order = ["import", path, "--kind", "trunk", "--trunk", "back", "--new-trunk", "back", "--effective", "now", ...WHY];
    const stored = await operate(...order, "--preview", previewIn((await operate(...order)).output));
    const [, proposal] = /"approvals confirm (\S+)"/.exec(stored.output) ?? [];
    if (proposal !== undefined) await asAda("approvals", "confirm", proposal);
    const { rows } = await database.handle.pool.query<{ id: string }>("select id from deck where name = $1", [`${name}.csv`]);
    // Long ago, because a live service waits for five minutes.
    await database.handle.pool.query(
      "update deck_activation set effective_at = now() - interval '1 hour' where deck_id = $1 and effective_at > now()",
      [rows[0]?.id],
    );
    return rows[0]?.id ?? "";
  };
  const first = await bring("first", "0.02");
  await database.handle.pool.query(
    "update deck_activation set effective_at = effective_at - interval '1 day' where deck_id = $1",
    [first],
  );
  const second = await bring("second", "0.021");
  const back = ["roll-back", "--kind", "trunk", "--trunk", "back", ...WHY];
  const shown = await operate(...back);
  expect(shown).toMatchObject({
    code: 1,
    output: expect.stringMatching(
      new RegExp(
        `^Nothing has changed\\. This would leave second\\.csv \\(${second}\\), .*for first\\.csv .*--from ${second} --to ${first}\n$`,
      ),
    ),
  });
  const step = [...back, "--from", second, "--to", first];
  expect(await operate(...step)).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^first\.csv is in force for trunk back from /),
  });
  expect((await operate(...step)).code).toBe(1);
});

function previewIn(output: string): string {
  return /--preview ([0-9a-f]{16})$/m.exec(output)?.[1] ?? "";
}
