import { newCustomer } from "@farline/server/test/new-customer.ts";
import { insertManyCalls } from "@farline/server/test/many-calls.ts";
import { testDatabase, type TestDatabase } from "@farline/server/test/test-database.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../../../test/run-command.ts";
import { addFiguresCommand } from "./figures-command.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const farline = (...words: string[]) => runCommand(database, addFiguresCommand, "figures", ...words);

test("figures cover the last 30 days, by day, country and trunk, with what each figure means", async () => {
  const { id } = await newCustomer(database.handle);
  const call = { by: [id], each: 2, durationMs: 90_000, chargeMicros: 120_000n };
  await insertManyCalls(database.handle.db, { ...call, createdAt: new Date(Date.now() - 3_600_000), countryCode: "GH" });
  await insertManyCalls(database.handle.db, { ...call, createdAt: new Date(Date.now() - 40 * DAY_MS), countryCode: "FR" });
  const { code, output } = await farline();
  expect([code, output]).toEqual([0, expect.stringMatching(/GH +2 +2 +3\.0 +0\.24 /)]);
  expect(output).toMatch(/Total +2 +2 +3\.0 +0\.24 /);
  expect(output).not.toContain("FR");
  expect(output).toContain("The voice provider reports no attempts by trunk.");
  expect(output).toContain("Average call duration: minutes of answered calls, divided by their number.");
});

test("a span of days as JSON has the figures of the console's page", async () => {
  const { code, output } = await farline("--from", "2020-01-01", "--to", "2020-01-31", "--json");
  expect([code, JSON.parse(output)]).toEqual([
    0,
    expect.objectContaining({ figures: expect.objectContaining({ days: [], countries: [], trunks: [], quality: [] }) }),
  ]);
});

test("days that cannot be read, and a span that is too long, are refused with a sentence", async () => {
  expect(await farline("--from", "2020-01-01", "--to", "2020-12-31")).toEqual({
    code: 1,
    output: expect.stringMatching(/92/),
  });
  expect(await farline("--from", "yesterday")).toMatchObject({ code: 1 });
});
