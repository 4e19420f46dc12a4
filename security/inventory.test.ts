import { api } from "@farline/contract/api/api.ts";
import type { RouteAccess } from "@farline/contract/api/route-access.ts";
import { readSettings } from "@farline/sandbox/settings.ts";
import { readConfig } from "@farline/server/platform/settings/config.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCustomer, type TestCustomer } from "./src/customers.ts";
import { Doors, FULL_SIZE } from "./src/doors.ts";
import { inventory, pathOf, type InventoryDoor } from "./src/inventory.ts";
import { startInstallation, type Installation } from "./src/product.ts";
import { rawHttp, spellings, type RawAnswer } from "./src/raw-http.ts";

const METRICS_TOKEN = "the operators' own token";
const doors = new Doors();
let at: Installation;
let all: InventoryDoor[];
let customer: TestCustomer;
/** Signed in a day ago. */
let stale: TestCustomer;

beforeAll(async () => {
  at = await startInstallation({ METRICS_TOKEN });
  all = inventory(at);
  customer = await newCustomer(at);
  stale = await newCustomer(at);
  await at.database.handle.pool.query("update session set authenticated_at = now() - interval '1 day' where customer_id = $1", [
    stale.id,
  ]);
});
afterAll(() => at?.close());

/** A kind of caller, by the credentials it sends. */
interface Caller {
  readonly name: string;
  readonly headers: Record<string, string>;
  /** What this caller may do in addition to a visitor. */
  readonly may: readonly RouteAccess[];
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const callers = (): Caller[] => [
  { name: "a visitor", headers: {}, may: [] },
  { name: "a made-up session", headers: bearer("fl_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), may: [] },
  { name: "a customer", headers: bearer(customer.token), may: ["customer", "step-up", "step-up-when"] },
  { name: "a customer who signed in long ago", headers: bearer(stale.token), may: ["customer", "step-up-when"] },
  { name: "a wrong operator's token", headers: bearer(METRICS_TOKEN.toUpperCase()), may: [] },
  { name: "an unsigned provider", headers: { "stripe-signature": "t=1,v1=00", "telnyx-signature-ed25519": "AA==" }, may: [] },
  { name: "a wrong exchange key", headers: bearer("KEY_wrong"), may: [] },
];

/** The statuses with which each access refuses. Any other status means that another check came first. */
const REFUSALS: Readonly<Record<RouteAccess, readonly number[]>> = {
  visitor: [],
  customer: [401],
  "step-up": [401, 403],
  "step-up-when": [401],
  operator: [404],
  provider: [400],
  "exchange-key": [401],
  development: [],
};

/** Whether this caller may use a route with this access. */
function mayPass(door: InventoryDoor, caller: Caller): boolean {
  return door.access === "visitor" || door.access === "development" || caller.may.includes(door.access);
}

function tryDoor(door: InventoryDoor, path: string, headers: Record<string, string>): Promise<RawAnswer> {
  const body = ["POST", "PUT", "PATCH"].includes(door.method) ? {} : undefined;
  return rawHttp(door.port, path, { method: door.method, headers, body });
}

test("the inventory has every program's routes, and the sandbox's are all for development only", () => {
  const count = (part: string) => all.filter((door) => door.part === part).length;
  expect(count("service")).toBeGreaterThan(100);
  for (const part of ["exchange for browsers", "exchange for the service", "sandbox"]) expect(count(part)).toBeGreaterThan(0);
  expect(new Set(all.filter((door) => door.part === "sandbox").map((door) => door.access))).toEqual(new Set(["development"]));
  expect(all.filter((door) => door.part === "service" && door.access === "development")).toEqual([]);
});

test("each route refuses callers without its access, however its path is spelled", { timeout: 240_000 }, async () => {
  for (const door of all)
    for (const caller of callers()) {
      if (mayPass(door, caller) || isStream(door)) continue;
      const path = pathOf(door.url);
      const asWritten = await tryDoor(door, path, caller.headers);
      for (const spelling of FULL_SIZE || caller.name === "a visitor" ? spellings(path) : [path]) {
        const { status } = spelling === path ? asWritten : await tryDoor(door, spelling, caller.headers);
        const allowed = spelling === path ? REFUSALS[door.access] : [...REFUSALS[door.access], 400, 404];
        const held = allowed.includes(status);
        doors.check(`${door.access} as ${caller.name}`, `${door.method} ${spelling} of the ${door.part}: ${status}`, held);
      }
    }
  expect(doors.opened).toEqual([]);
});

test("a route answers another spelling of its path as usual or refuses it, and never fails", { timeout: 240_000 }, async () => {
  for (const door of all) {
    if (isStream(door) || door.method !== "GET") continue;
    const { headers } = callers().find((caller) => mayPass(door, caller)) ?? { headers: {} };
    const path = pathOf(door.url);
    const asWritten = await tryDoor(door, path, headers);
    for (const spelling of spellings(path)) {
      const { status } = await tryDoor(door, spelling, headers);
      const alike = status < 500 && (status === asWritten.status || (status >= 300 && status < 500));
      doors.check("another spelling of a path", `GET ${spelling} of the ${door.part}: ${status}`, alike);
    }
  }
  expect(doors.opened).toEqual([]);
});

test("answers to signed-in customers, and refusals of others, may not be cached", async () => {
  const guarded = all.filter((door) => door.part === "service" && !["visitor", "provider", "development"].includes(door.access));
  for (const door of guarded) {
    if (isStream(door)) continue;
    for (const caller of callers().filter(({ name }) => ["a visitor", "a customer who signed in long ago"].includes(name))) {
      const { status, cacheControl } = await tryDoor(door, pathOf(door.url), caller.headers);
      doors.check(
        "a private answer in a cache",
        `${door.method} ${door.url}: ${status} ${cacheControl}`,
        cacheControl === "no-store",
      );
    }
  }
  expect(doors.opened).toEqual([]);
});

test("no sandbox route and no exchange command is reachable on the ports for customers", async () => {
  for (const door of all.filter((one) => one.part === "sandbox" || one.part === "exchange for the service"))
    for (const port of [at.addresses.port, at.exchange.port]) {
      if (all.some((one) => one.port === port && one.url === door.url)) continue;
      for (const spelling of spellings(pathOf(door.url))) {
        const { status } = await tryDoor({ ...door, port }, spelling, bearer(at.secrets.telnyxApiKey));
        doors.check(
          "an internal route on a public port",
          `${door.method} ${spelling} on ${port}: ${status}`,
          status >= 400 && status < 500,
        );
      }
    }
  expect(doors.opened).toEqual([]);
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
        statuses.filter((status) => /^20[0124]$/.test(status)),
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

/** Its response lasts as long as the page is open. */
function isStream(door: InventoryDoor): boolean {
  return door.url === "/api/events";
}
