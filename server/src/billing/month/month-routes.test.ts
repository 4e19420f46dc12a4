import { afterAll, beforeAll, expect, test } from "vitest";
import { consoleApp, type ConsoleApp } from "../../../test/worlds/console-app.ts";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import { monthOf, monthsAfter } from "../documents/statement-month.ts";
import { operationRoutes } from "../../operations/operations.ts";
import { monthRoutes } from "./month-routes.ts";

let world: BillingWorld;
let app: ConsoleApp;
let month: string;
beforeAll(async () => {
  world = await BillingWorld.start();
  const { ctx } = world.service;
  month = monthOf(ctx.clock.now());
  await world.paid(await world.service.signUp(), { amount: 20 });
  // Bookings have the database's time, which the service's clock must not be behind.
  world.service.clock.advance(60_000);
  app = consoleApp(ctx, monthRoutes, operationRoutes);
});
afterAll(async () => {
  await app.close();
  await world.close();
});

const as = (operator: string, method: "GET" | "POST", path: string, payload?: object) =>
  app.as(operator, method, `months/${path}`, payload);

test("finance reads a month's books and the provider's report, support neither", async () => {
  expect(await as("bob", "GET", month)).toMatchObject({
    status: 200,
    body: { books: { month, movements: [{ line: "top_up", count: 1, total: "20.00" }], faults: [] }, closing: null },
  });
  expect(await as("bob", "GET", `${month}/provider`)).toMatchObject({ status: 200 });
  for (const path of [month, `${month}/provider`]) expect((await as("eve", "GET", path)).status).toBe(403);
});

test("a month's file has its name and the books as lines", async () => {
  const { status, body } = await as("bob", "POST", `${month}/file`);
  expect([status, body.file_name]).toEqual([200, `farline-month-${month}.csv`]);
  expect(body.text).toContain('"Books","Top-ups","1","USD","20.00"');
  expect((await as("eve", "POST", `${month}/file`)).status).toBe(403);
});

test("a month that is not over is not closed, and one that is closes once", async () => {
  const reason = { reason: "Month's end" };
  expect(await as("grace", "POST", `${month}/close`, reason)).toMatchObject({ status: 409, body: { code: "conflict" } });
  world.service.clock.advance(40 * 86_400_000);
  expect((await as("eve", "POST", `${month}/close`, reason)).status).toBe(403);
  expect((await as("grace", "POST", `${month}/close`, { reason: " " })).status).toBe(422);
  expect(await as("grace", "POST", `${month}/close`, reason)).toMatchObject({ status: 200 });
  expect((await as("grace", "POST", `${month}/close`, reason)).status).toBe(409);
  expect((await as("bob", "GET", month)).body.closing).toMatchObject(reason);
  // The provider's report is that of the closing, without another request.
  world.stripe.balance.movements.length = 0;
  expect((await as("bob", "GET", `${month}/provider`)).body).toMatchObject({ provider_net: "20.00" });
  expect((await as("bob", "POST", `${month}/file`)).body.text).toContain('"Comparison","Provider","","USD","20.00"');
});

test("a month before the first posting has no books, no report, no file and no closing", async () => {
  const before = monthsAfter(month, -1);
  const refusal = { status: 404, body: { code: "not_found", message: expect.stringContaining(`no books of ${before}`) } };
  expect(await as("bob", "GET", before)).toMatchObject(refusal);
  expect(await as("bob", "GET", `${before}/provider`)).toMatchObject(refusal);
  expect(await as("bob", "POST", `${before}/file`)).toMatchObject(refusal);
  expect(await as("grace", "POST", `${before}/close`, { reason: "Month's end" })).toMatchObject(refusal);
});

test.each(["2026-13", "november", "2026-1"])("%s is no month", async (path) => {
  expect(await as("bob", "GET", path)).toMatchObject({ status: 404, body: { code: "not_found" } });
});
