import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { columnMap, importDeck } from "@farline/server/decks/decks.ts";
import { newCustomer } from "@farline/server/test/new-customer.ts";
import { confirm } from "@farline/server/test/operate.ts";
import { asOperator, testContext } from "@farline/server/test/test-context.ts";
import { insertPaid } from "@farline/server/test/worlds/call-world.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandWorld, type CommandWorld } from "../../test/run-command.ts";

const WHY = ["--reason", "December list"];
const SALE = ["--kind", "sale"];

let world: CommandWorld;
let folder: string;
beforeAll(async () => {
  [world, folder] = await Promise.all([commandWorld(), mkdtemp(join(tmpdir(), "decks-"))]);
  // The sandbox begins with sample prices. Deleting, unlike truncating, waits for no reader.
  await world.database.handle.pool.query("delete from deck_activation; delete from deck");
  // Until a customer has paid, a first deck needs no second operator.
  const { id } = await newCustomer(world.database.handle);
  await insertPaid(world.database.handle.db, id, { dollars: 5, at: new Date() });
});
afterAll(() => Promise.all([world.close(), rm(folder, { recursive: true })]));

const operate = (...words: string[]) => command("decks", ...words);
const command = (...words: string[]) => world.run("grace", ...words);
const asAda = (...words: string[]) => world.run("ada", ...words);

const AS_IT_IS = {
  kindSure: false,
  name: null,
  increments: null,
  dates: null,
  skipLines: new Set<number>(),
  skipWords: new Set<string>(),
  columns: columnMap([]),
  newColumns: false,
  complete: false,
  preview: null,
  reason: "A test",
};

test("a list with bad rows is shown and not stored, and the rows are written for the carrier", async () => {
  const path = join(folder, "acme.csv");
  await writeFile(path, "Prefix,Destination,Rate,Billing\n44,UK\u001b[2J,0.02,1/1\n49,Germany,soon,60/60\n");
  const badRows = join(folder, "bad-rows.csv");
  const tried = await operate("import", path, ...SALE, ...WHY, "--bad-rows", badRows);
  expect(tried.code).toBe(2);
  expect(await readFile(badRows, "utf8")).toMatch(
    /"Line","Problem","Row"\r\n"3","not a price.*","49 \| Germany \| soon \| 60\/60"\r\n$/,
  );
  for (const line of [
    "No deck is active.",
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
});

test("a list is stored as it was shown, a second operator activates it, and it is listed, explained and cancelled", async () => {
  const path = join(folder, "clean.csv");
  await writeFile(path, "Prefix,Destination,Rate,Billing\n44,UK,0.02,1/1\n");
  const order = ["import", path, ...SALE, "--effective", "now", "--name", "Acme", ...WHY];
  const stored = await operate(...order, "--preview", previewIn((await operate(...order)).output));
  const { rows } = await world.database.handle.pool.query<{ id: string }>("select id from deck");
  const id = rows[0]?.id;
  expect(stored.code).toBe(3);
  expect(stored.output).toMatch(
    new RegExp(`\nStored as deck ${id}\\.\nNothing has changed yet\\. No deck is active .* an operator other than you `),
  );
  const proposals = await command("approvals");
  expect(proposals.output).toMatch(
    new RegExp(`\n  Activate  id ${id}  deck Acme, from at once\n  No deck is active .*\n  grace, .*: December list\n`),
  );
  const [, proposal = ""] = /  proposal (\S+)$/m.exec(proposals.output) ?? [];
  const confirmed = await asAda("approvals", "confirm", proposal);
  expect(confirmed).toMatchObject({
    code: 0,
    output: "The proposal is carried out.\n",
  });
  expect((await operate()).output).toMatch(
    new RegExp(String.raw`^${id}  Acme  \d+ prices, stored .*\n  ACTIVE since .*, by ada: December list\n1 decks\.\n$`),
  );
  const price = await operate("price", "020 7946 0958", "--country", "gb");
  expect(price.output).toMatch(
    /^\+44 20 7946 0958: United Kingdom, landline, risk: .*\nAcme, active since .*: Sold at this price\.\n {2}\+44\d* UK.*\n {2}cost \$0\.0200 a minute in 1\/1, sold for /,
  );
  expect((await operate("history", "GB")).output).toMatch(
    /^United Kingdom:\nsince .*, Acme\n {2}\w+, \d+ prefixes: cost \$0\.0200, sold for /,
  );
  const later = await operate("activate", id ?? "", "--effective", "2099-12-01", ...WHY);
  expect(later.output).toContain("Acme is active from 2099-12-01T00:00:00.000Z.");
  expect((await operate("cancel", id ?? "", ...WHY)).output).toBe("Cancelled: 2099-12-01T00:00:00.000Z.\n");
  expect((await operate("cancel", id ?? "", ...WHY)).code).toBe(1);
  const backwards = await operate("roll-back", ...SALE, ...WHY);
  const unclear = await operate("activate", id ?? "", "--effective", "soon", ...WHY);
  expect(backwards).toEqual({ code: 1, output: "No other deck was active before, so there is none to go back to.\n" });
  expect(unclear).toEqual({ code: 1, output: "--effective is a time like 2026-12-01 or 2026-12-01T08:00:00Z.\n" });
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
    [["activate", "0123"], "--effective is needed"],
  ] as const) {
    const { code, output } = await operate(...words, ...WHY);
    expect([code, output]).toEqual([1, expect.stringContaining(said)]);
  }
});

test("a roll-back shows both decks before it changes anything", async () => {
  const { handle } = world.database;
  const bring = async (name: string, rate: string) => {
    const path = join(folder, `${name}.csv`);
    await writeFile(path, `Prefix,Destination,Rate,Billing\n49,Germany,${rate},1/1\n`);
    const order = { ...AS_IT_IS, path, source: `${name}.csv`, trunk: "back", newTrunk: "back", effective: "now" } as const;
    const ctx = asOperator(testContext({ handle }), "grace");
    const { preview } = await importDeck(ctx, order);
    const { stored, proposal } = await importDeck(ctx, { ...order, preview });
    if (proposal !== null) await confirm(asOperator(ctx, "ada"), proposal.id);
    // Long ago, because a live service waits for five minutes.
    await handle.pool.query("update deck_activation set effective_at = now() - interval '1 hour' where deck_id = $1", [
      stored?.id,
    ]);
    return stored?.id ?? "";
  };
  const first = await bring("first", "0.02");
  await world.database.handle.pool.query(
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
    output: expect.stringMatching(/^first\.csv is active for trunk back from /),
  });
  expect((await operate(...step)).code).toBe(1);
});

function previewIn(output: string): string {
  return /--preview ([0-9a-f]{16})$/m.exec(output)?.[1] ?? "";
}
