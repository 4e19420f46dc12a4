import { afterAll, beforeAll, expect, test } from "vitest";
import { consoleApp, type ConsoleApp } from "../../test/worlds/console-app.ts";
import { fillOperatorData, operatorDataCustomer, operatorDataEmail } from "../../test/operator-data.ts";
import { testContext } from "../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { operatorCallRoutes } from "../calls/operate/operator-call-routes.ts";
import { operationRoutes } from "../operations/operations.ts";
import { systemClock } from "../platform/clock.ts";
import { searchRoutes } from "../search/search.ts";
import { timelineRoutes } from "./timeline.ts";

const CUSTOMER = operatorDataCustomer(2);

let database: TestDatabase;
let app: ConsoleApp;
beforeAll(async () => {
  database = await testDatabase();
  await fillOperatorData(database.handle, { customers: 30, calls: 200 });
  const ctx = testContext({ handle: database.handle, clock: systemClock, config: { limitsScale: 1 } });
  app = consoleApp(ctx, searchRoutes, timelineRoutes, operatorCallRoutes, operationRoutes);
});
afterAll(async () => {
  await app.close();
  await database.close();
});

const request = (method: "GET" | "POST", path: string, payload?: object) => app.as("eve", method, path, payload);

test("the console leads from a search to the customer, their timeline and a call", async () => {
  const { body: found } = await request("POST", "search", { text: operatorDataEmail(2) });
  expect(found.hits).toMatchObject([{ type: "customer", id: CUSTOMER }]);
  const { body: page } = await request("GET", `customers/${CUSTOMER}`);
  expect(page.customer.email).toBe(operatorDataEmail(2));
  const { body: first } = await request("GET", `customers/${CUSTOMER}/timeline?limit=3`);
  expect(first.entries).toHaveLength(3);
  const cursor = encodeURIComponent(first.next_cursor);
  const { body: second } = await request("GET", `customers/${CUSTOMER}/timeline?limit=3&cursor=${cursor}`);
  expect(second.entries[0]).not.toEqual(first.entries[2]);
  const call = [...first.entries, ...second.entries].find(({ type }) => type === "call");
  const { body: shown } = await request("GET", `calls/${call.id}`);
  expect(shown.call).toMatchObject({ id: call.id, email: operatorDataEmail(2) });
});

test("the console lists live calls and hangs them up with a reason", async () => {
  const { body: live } = await request("GET", "calls/live");
  expect(live.calls).toHaveLength(3);
  const customer = live.calls[0].customer_id;
  expect((await request("GET", `calls/live?customer=${customer}`)).body.calls).toHaveLength(1);
  expect(await request("POST", "calls/hang-up", { customer, reason: " " })).toMatchObject({ status: 422 });
  expect(await request("POST", "calls/hang-up", { customer, reason: "Fraud" })).toEqual({
    status: 200,
    body: { ended: 1 },
  });
});

test.each([
  ["GET", `customers/${operatorDataCustomer(999)}`, undefined, 404],
  ["GET", "customers/x/timeline", undefined, 404],
  ["GET", "calls/x", undefined, 404],
  ["GET", "calls/live?customer=x", undefined, 404],
  ["GET", "calls/live?prefix=abc", undefined, 422],
  ["POST", "search", { text: "?" }, 422],
  ["POST", "calls/hang-up", { reason: "Everything" }, 422],
] as const)("%s %s is refused", async (method, url, payload, status) => {
  expect((await request(method, url, payload)).status).toBe(status);
});
