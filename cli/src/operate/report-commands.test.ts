import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ScriptedStripe } from "@farline/server/test/fakes/scripted-stripe.ts";
import { newCustomer } from "@farline/server/test/new-customer.ts";
import { insertManyCalls } from "@farline/server/test/many-calls.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { commandWorld, type CommandWorld } from "../../test/run-command.ts";

let world: CommandWorld;
let stripe: ScriptedStripe;
beforeAll(async () => {
  stripe = await ScriptedStripe.start();
  world = await commandWorld({ stripe: { secretKey: "sk_test_farline", webhookSecrets: [], apiBase: stripe.url } });
});
afterAll(async () => {
  await world.close();
  await stripe.close();
});

const farline = (...words: string[]) => world.run("grace", ...words);
const figures = (...words: string[]) => farline("figures", ...words);

test("figures cover the last 30 days, by day, country and trunk, with what each figure means", async () => {
  const { id } = await newCustomer(world.database.handle);
  const call = { by: [id], each: 2, durationMs: 90_000, chargeMicros: 120_000n };
  await insertManyCalls(world.database.handle.db, { ...call, createdAt: new Date(Date.now() - 3_600_000), countryCode: "GH" });
  await insertManyCalls(world.database.handle.db, { ...call, createdAt: new Date(Date.now() - 40 * DAY_MS), countryCode: "FR" });
  const { code, output } = await figures();
  expect([code, output]).toEqual([0, expect.stringMatching(/Ghana +2 +2 +3\.0 +\$0\.24 /)]);
  expect(output).toMatch(/Total +2 +2 +3\.0 +\$0\.24 /);
  expect(output).not.toContain("France");
  expect(output).toContain("The voice provider reports no attempts by trunk.");
  expect(output).toContain("Average call duration: minutes of answered calls, divided by their number.");
});

test("a span of days as JSON has the figures of the console's page", async () => {
  const { code, output } = await figures("--from", "2020-01-01", "--to", "2020-01-31", "--json");
  expect([code, JSON.parse(output)]).toEqual([
    0,
    expect.objectContaining({ figures: expect.objectContaining({ days: [], countries: [], trunks: [], quality: [] }) }),
  ]);
});

test("days that cannot be read, and a span that is too long, are refused with a message", async () => {
  expect(await figures("--from", "2020-01-01", "--to", "2020-12-31")).toEqual({
    code: 1,
    output: expect.stringMatching(/92/),
  });
  expect(await figures("--from", "yesterday")).toMatchObject({ code: 1 });
});

test("a month that adds up exits with 0, one that does not with 2, and is written to a file", async () => {
  const month = new Date().toISOString().slice(0, 7);
  const { code, output } = await farline("month", month);
  expect([code, output]).toEqual([0, expect.stringMatching(/is not over: [^]*Not closed\.[^]*Everything adds up\./)]);
  stripe.balance.move("charge", 500, { intent: "pi_stray", fee: 45, metadata: { site: "https://farline.example" } }).created -= 1;
  const folder = mkdtempSync(join(tmpdir(), "farline-month-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "month.csv");
  const { code: faults, output: json } = await farline("month", month, "--csv", file, "--json");
  expect([faults, JSON.parse(json)]).toEqual([
    2,
    expect.objectContaining({
      messages: ["Fault: payments that differ from the provider's report: 1."],
      books: expect.objectContaining({ month, faults: [] }),
      provider: expect.objectContaining({ provider_net: "5.00", ledger_net: "0.00" }),
      closed_at: null,
    }),
  ]);
  expect(readFileSync(file, "utf8")).toContain('"Provider","Payments","1","USD","5.00"');
});

test("a month before the first posting is refused with the months that there are", async () => {
  const month = new Date().toISOString().slice(0, 7);
  const output = `There are no books of 2025-12. They run from ${month} to ${month}.\n`;
  expect(await farline("month", "2025-12")).toEqual({ code: 1, output });
  expect(await farline("close-month", "2025-12", "--reason", "Month's end")).toEqual({ code: 1, output });
});

test("a month that is not over is not closed", async () => {
  const month = new Date().toISOString().slice(0, 7);
  expect(await farline("close-month", month, "--reason", "Month's end")).toEqual({
    code: 1,
    output: `${month} is not over. A month can be closed ten minutes after its end.\n`,
  });
});

test("a file that cannot be written is named in a sentence, also in JSON", async () => {
  const file = join(tmpdir(), "farline-no-such-folder", "month.csv");
  const words = ["month", new Date().toISOString().slice(0, 7), "--csv", file];
  const said = `It cannot be done: ENOENT: no such file or directory, open '${file}'.`;
  const { code, output } = await farline(...words);
  expect([code, output.endsWith(`\n${said}\n`)]).toEqual([1, true]);
  expect(JSON.parse((await farline(...words, "--json")).output)).toMatchObject({ error: said, exit: 1 });
});
