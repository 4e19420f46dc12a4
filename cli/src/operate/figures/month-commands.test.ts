import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ScriptedStripe } from "@farline/server/test/fakes/scripted-stripe.ts";
import { testDatabase, type TestDatabase } from "@farline/server/test/test-database.ts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { runCommand } from "../../../test/run-command.ts";
import { addMonthCommands } from "./month-commands.ts";

let database: TestDatabase;
let stripe: ScriptedStripe;
beforeAll(async () => {
  database = await testDatabase();
  stripe = await ScriptedStripe.start();
});
afterAll(async () => {
  await stripe.close();
  await database.close();
});

function farline(...words: string[]) {
  vi.stubEnv("STRIPE_API_BASE", stripe.url);
  vi.stubEnv("PUBLIC_URL", "http://localhost:3000");
  return runCommand(database, addMonthCommands, ...words);
}

test("a month that adds up exits with 0, one that does not with 2, and is written to a file", async () => {
  const month = new Date().toISOString().slice(0, 7);
  const { code, output } = await farline("month", month);
  expect([code, output]).toEqual([0, expect.stringMatching(/is not over: [^]*Not closed\.[^]*Everything adds up\./)]);
  stripe.balance.move("charge", 500, { intent: "pi_stray", fee: 45, metadata: { site: "http://localhost:3000" } }).created -= 1;
  const file = join(mkdtempSync(join(tmpdir(), "farline-month-")), "month.csv");
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
  expect(readFileSync(file, "utf8")).toContain('"Provider","charge","1","USD","5.00"');
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
