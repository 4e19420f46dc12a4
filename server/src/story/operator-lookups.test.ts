import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp } from "../../test/create-test-app.ts";
import { fillOperatorData, operatorDataCustomer, operatorDataEmail } from "../../test/operator-data.ts";
import { operatorToken } from "../../test/operators.ts";
import { testContext } from "../../test/test-context.ts";
import { testDatabase, type TestDatabase } from "../../test/test-database.ts";
import { operatorCallRoutes } from "../calls/operate/operator-call-routes.ts";
import { operationRoutes } from "../operations/operations.ts";
import { operatorGuard } from "../operator/operator.ts";
import { systemClock } from "../platform/clock.ts";
import type { App } from "../platform/http/http.ts";
import { searchRoutes } from "../search/search.ts";
import { storyRoutes } from "./story.ts";

const CUSTOMER = operatorDataCustomer(2);

let database: TestDatabase;
let app: App;
let cookie: string;
beforeAll(async () => {
  database = await testDatabase();
  await fillOperatorData(database.handle, { customers: 30, calls: 200 });
  const ctx = testContext({ handle: database.handle, clock: systemClock, config: { limitsScale: 1 } });
  app = createTestApp({ log: ctx.log, trustedProxies: 0, guards: { operator: operatorGuard(ctx) } });
  searchRoutes(app, ctx);
  storyRoutes(app, ctx);
  operatorCallRoutes(app, ctx);
  operationRoutes(app, ctx);
  cookie = `__Host-operator=${await operatorToken((query, values) => database.handle.pool.query(query, values), "eve")}`;
});
afterAll(async () => {
  await app.close();
  await database.close();
});

async function request(method: "GET" | "POST", url: string, payload?: object) {
  const answer = await app.inject({ method, url, headers: { cookie }, ...(payload === undefined ? {} : { payload }) });
  return { status: answer.statusCode, body: answer.json() };
}

test("the console leads from a search to the customer, their story and a call", async () => {
  const { body: found } = await request("POST", "/api/operator/search", { text: operatorDataEmail(2) });
  expect(found.hits).toMatchObject([{ type: "customer", id: CUSTOMER }]);
  const { body: page } = await request("GET", `/api/operator/customers/${CUSTOMER}`);
  expect(page.customer.email).toBe(operatorDataEmail(2));
  const { body: first } = await request("GET", `/api/operator/customers/${CUSTOMER}/story?limit=3`);
  expect(first.entries).toHaveLength(3);
  const cursor = encodeURIComponent(first.next_cursor);
  const { body: second } = await request("GET", `/api/operator/customers/${CUSTOMER}/story?limit=3&cursor=${cursor}`);
  expect(second.entries[0]).not.toEqual(first.entries[2]);
  const call = [...first.entries, ...second.entries].find(({ type }) => type === "call");
  const { body: shown } = await request("GET", `/api/operator/calls/${call.id}`);
  expect(shown.call).toMatchObject({ id: call.id, email: operatorDataEmail(2) });
});

test("the console lists live calls and hangs them up with a reason", async () => {
  const { body: live } = await request("GET", "/api/operator/calls/live");
  expect(live.calls).toHaveLength(3);
  const customer = live.calls[0].customer_id;
  expect((await request("GET", `/api/operator/calls/live?customer=${customer}`)).body.calls).toHaveLength(1);
  expect(await request("POST", "/api/operator/calls/hang-up", { customer, reason: " " })).toMatchObject({ status: 422 });
  expect(await request("POST", "/api/operator/calls/hang-up", { customer, reason: "Fraud" })).toEqual({
    status: 200,
    body: { ended: 1 },
  });
});

test.each([
  ["GET", `/api/operator/customers/${operatorDataCustomer(999)}`, undefined, 404],
  ["GET", "/api/operator/customers/x/story", undefined, 404],
  ["GET", "/api/operator/calls/x", undefined, 404],
  ["GET", "/api/operator/calls/live?customer=x", undefined, 404],
  ["GET", "/api/operator/calls/live?prefix=abc", undefined, 422],
  ["POST", "/api/operator/search", { text: "?" }, 422],
  ["POST", "/api/operator/calls/hang-up", { reason: "Everything" }, 422],
] as const)("%s %s is refused", async (method, url, payload, status) => {
  expect((await request(method, url, payload)).status).toBe(status);
});
