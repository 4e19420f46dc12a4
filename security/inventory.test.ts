import { api } from "@farline/contract/api/api.ts";
import type { RouteAccess } from "@farline/contract/api/route-access.ts";
import { needsProof, type OperatorRight, rightsOf } from "@farline/contract/operator/rights.ts";
import { operatorToken } from "@farline/server/test/operators.ts";
import { hashToken } from "@farline/server/platform/sealed-value.ts";
import { readSettings } from "@farline/sandbox/settings.ts";
import { readConfig } from "@farline/server/platform/settings/config.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCustomer, type TestCustomer } from "./src/customers.ts";
import { Attempts, FULL_SIZE, inventory, type InventoryRoute, pathOf } from "./src/attempts.ts";
import { type Installation, startInstallation } from "./src/product.ts";
import { type RawAnswer, rawHttp, spellings } from "./src/raw-http.ts";

const METRICS_TOKEN = "the monitoring's own token";
const attempts = new Attempts();
let at: Installation;
let all: InventoryRoute[];
let customer: TestCustomer;
/** Signed in a day ago. */
let stale: TestCustomer;
/** A support agent's and an administrator's session in the console; the latter proved who they are ten minutes ago. */
let support: string;
let admin: string;

beforeAll(async () => {
  at = await startInstallation({ METRICS_TOKEN });
  all = inventory(at);
  customer = await newCustomer(at);
  stale = await newCustomer(at);
  await at.database.handle.pool.query("update session set authenticated_at = now() - interval '1 day' where customer_id = $1", [
    stale.id,
  ]);
  const query = (sql: string, values?: unknown[]) => at.database.handle.pool.query(sql, values);
  [support, admin] = [await operatorToken(query, "eve"), await operatorToken(query, "grace")];
  await query("update operator_session set proved_at = now() - interval '10 minutes' where token_hash = $1", [hashToken(admin)]);
});
afterAll(() => at?.close());

/** A kind of caller, by the credentials it sends. */
interface Caller {
  readonly name: string;
  readonly headers: Record<string, string>;
  /** What this caller may do in addition to a visitor. */
  readonly may: readonly RouteAccess[];
  /** What an operator may do in the console. */
  readonly rights?: readonly OperatorRight[];
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const console = (token: string) => ({ cookie: `__Host-operator=${token}` });
const callers = (): Caller[] => [
  { name: "a visitor", headers: {}, may: [] },
  { name: "a made-up session", headers: bearer("fl_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), may: [] },
  { name: "a customer", headers: bearer(customer.token), may: ["customer", "step-up", "step-up-when"] },
  { name: "a customer who signed in long ago", headers: bearer(stale.token), may: ["customer", "step-up-when"] },
  { name: "a wrong monitoring token", headers: bearer(METRICS_TOKEN.toUpperCase()), may: [] },
  { name: "a customer at the console", headers: console(customer.token), may: [] },
  { name: "an operator as a customer", headers: bearer(support), may: [] },
  { name: "a support agent", headers: console(support), may: [], rights: rightsOf("support") },
  {
    name: "an administrator without a recent proof",
    headers: console(admin),
    may: [],
    rights: rightsOf("admin").filter((right) => !needsProof(right)),
  },
  { name: "an unsigned provider", headers: { "stripe-signature": "t=1,v1=00", "telnyx-signature-ed25519": "AA==" }, may: [] },
  { name: "a wrong exchange key", headers: bearer("KEY_wrong"), may: [] },
];

/** The statuses with which each access refuses. Any other status means that another check came first. */
const REFUSALS: Readonly<Record<RouteAccess, readonly number[]>> = {
  visitor: [],
  customer: [401],
  "step-up": [401, 403],
  "step-up-when": [401],
  operator: [401, 403],
  monitor: [404],
  provider: [400],
  "exchange-key": [401],
  development: [],
};

/** Whether this caller may use a route with this access. */
function mayPass(route: InventoryRoute, caller: Caller): boolean {
  if (route.right !== undefined) return caller.rights?.includes(route.right) ?? false;
  return route.access === "visitor" || route.access === "development" || caller.may.includes(route.access);
}

function tryRoute(route: InventoryRoute, path: string, headers: Record<string, string>): Promise<RawAnswer> {
  const body = ["POST", "PUT", "PATCH"].includes(route.method) ? {} : undefined;
  return rawHttp(route.port, path, { method: route.method, headers, body });
}

test("the inventory has every program's routes, and the sandbox's are all for development only", () => {
  const count = (part: string) => all.filter((route) => route.part === part).length;
  expect(count("service")).toBeGreaterThan(100);
  for (const part of ["exchange for browsers", "exchange for the service", "sandbox"]) expect(count(part)).toBeGreaterThan(0);
  expect(new Set(all.filter((route) => route.part === "sandbox").map((route) => route.access))).toEqual(new Set(["development"]));
  expect(all.filter((route) => route.part === "service" && route.access === "development")).toEqual([]);
});

test("each route refuses callers without its access, however its path is spelled", async () => {
  for (const route of all)
    for (const caller of callers()) {
      if (mayPass(route, caller) || isStream(route)) continue;
      const path = pathOf(route.url);
      const asWritten = await tryRoute(route, path, caller.headers);
      for (const spelling of FULL_SIZE || caller.name === "a visitor" ? spellings(path) : [path]) {
        const { status } = spelling === path ? asWritten : await tryRoute(route, spelling, caller.headers);
        const allowed = spelling === path ? REFUSALS[route.access] : [...REFUSALS[route.access], 400, 404];
        const held = allowed.includes(status);
        attempts.check(`${route.access} as ${caller.name}`, `${route.method} ${spelling} of the ${route.part}: ${status}`, held);
      }
    }
  expect(attempts.succeeded).toEqual([]);
});

test("every spelling of a route's path is served or refused, without an internal error", async () => {
  for (const route of all) {
    if (isStream(route) || route.method !== "GET") continue;
    const { headers } = callers().find((caller) => mayPass(route, caller)) ?? { headers: {} };
    const path = pathOf(route.url);
    const asWritten = await tryRoute(route, path, headers);
    for (const spelling of spellings(path)) {
      const { status } = await tryRoute(route, spelling, headers);
      const alike = status < 500 && (status === asWritten.status || (status >= 300 && status < 500));
      attempts.check("another spelling of a path", `GET ${spelling} of the ${route.part}: ${status}`, alike);
    }
  }
  expect(attempts.succeeded).toEqual([]);
});

test("answers to signed-in customers, and refusals of others, may not be cached", async () => {
  const guarded = all.filter(
    (route) => route.part === "service" && !["visitor", "provider", "development"].includes(route.access),
  );
  for (const route of guarded) {
    if (isStream(route)) continue;
    for (const caller of callers().filter(({ name }) => ["a visitor", "a customer who signed in long ago"].includes(name))) {
      const { status, cacheControl } = await tryRoute(route, pathOf(route.url), caller.headers);
      attempts.check(
        "a private answer in a cache",
        `${route.method} ${route.url}: ${status} ${cacheControl}`,
        cacheControl === "no-store",
      );
    }
  }
  expect(attempts.succeeded).toEqual([]);
});

test("no sandbox route and no exchange command is reachable on the ports for customers", async () => {
  for (const route of all.filter((one) => one.part === "sandbox" || one.part === "exchange for the service"))
    for (const port of [at.addresses.port, at.exchange.port]) {
      if (all.some((one) => one.port === port && one.url === route.url)) continue;
      for (const spelling of spellings(pathOf(route.url))) {
        const { status } = await tryRoute({ ...route, port }, spelling, bearer(at.secrets.telnyxApiKey));
        attempts.check(
          "an internal route on a public port",
          `${route.method} ${spelling} on ${port}: ${status}`,
          status >= 400 && status < 500,
        );
      }
    }
  expect(attempts.succeeded).toEqual([]);
});

function declaredEndpoints(): string[] {
  return Object.entries(api).map(([name, { access }]) => `${name} ${access}`);
}

test("the running service serves exactly the endpoints that the contract declares, with their access", () => {
  const running = at.service.routes
    .filter(({ method, url }) => method !== "HEAD" && url.startsWith("/api/") && url !== "/api/*")
    .map(({ method, url, access }) => `${method} ${url} ${access}`);
  expect(running.toSorted()).toEqual(declaredEndpoints().toSorted());
});

test("the served OpenAPI document describes each endpoint, with its access, its success and its refusals", async () => {
  const answer = await fetch(`${at.url}/api/openapi.json`);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  const { paths } = (await answer.json()) as OpenApi;
  const described = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { "x-access": access, responses }]) => {
      const statuses = Object.keys(responses);
      expect(
        statuses.filter((status) => /^(?:20[0124]|302)$/.test(status)),
        `${method} ${path}`,
      ).toHaveLength(1);
      expect(statuses, `${method} ${path}`).toEqual(expect.arrayContaining(["400", "429", "500", "503"]));
      return `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")} ${access}`;
    }),
  );
  expect(described.toSorted()).toEqual(declaredEndpoints().toSorted());
});

interface OpenApi {
  readonly paths: Record<string, Record<string, { readonly "x-access": string; readonly responses: object }>>;
}

test("the sandbox does not run in a production installation", () => {
  const sandbox = {
    SANDBOX_DATABASE_URL: "postgres://localhost/farline",
    STRIPE_SECRET_KEY: "sk_test_farline",
    STRIPE_WEBHOOK_SECRET: "whsec_farline",
  };
  expect(readSettings(sandbox)).toMatchObject({ ALLOW_SANDBOX: false });
  expect(() => readSettings({ ...sandbox, NODE_ENV: "production" })).toThrow("NODE_ENV=production");
  expect(() => readConfig({ NODE_ENV: "production", SANDBOX_URL: at.sandboxUrl })).toThrow();
});

/** Whether the response stays open. */
function isStream(route: InventoryRoute): boolean {
  return route.url === "/api/events" || route.url === "/api/operator/events";
}
