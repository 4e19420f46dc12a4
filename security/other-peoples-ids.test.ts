import { PATIENCE_MS } from "@farline/domain/test/patience.ts";
import { becomes } from "@farline/drills/support/readiness.ts";
import { randomUUID } from "node:crypto";
import { api } from "@farline/contract/api/api.ts";
import type { Endpoint } from "@farline/contract/api/endpoint.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Belongings, createBelongings, newCustomer, recordsOf, requestAs, type TestCustomer } from "./src/customers.ts";
import { Attempts, FULL_SIZE, inventory, type InventoryRoute, pathOf } from "./src/attempts.ts";
import { type Installation, startInstallation } from "./src/product.ts";
import { sampleFields } from "./src/sample-request.ts";

const attempts = new Attempts();
let at: Installation;
let owner: TestCustomer;
let thief: TestCustomer;
let belongings: Belongings;
let guarded: InventoryRoute[];

beforeAll(async () => {
  at = await startInstallation();
  [owner, thief] = [await newCustomer(at), await newCustomer(at)];
  // Both may ask for credit.
  await at.database.handle.pool.query("update customer set email_verified = true where id = any($1)", [[owner.id, thief.id]]);
  belongings = await createBelongings(at, owner);
  // The job that grants the free first call changes the owner's records too.
  const { pool } = at.database.handle;
  const isDecided = async () => (await pool.query("select from first_call where state = 'due'")).rowCount === 0;
  expect(await becomes(isDecided, PATIENCE_MS), "the free first call is decided").toBe(true);
  // An operator's routes refuse every customer (inventory.test.ts).
  guarded = inventory(at).filter(({ part, access }) => part === "service" && access !== "provider" && access !== "operator");
});
afterAll(() => at?.close());

const page = randomUUID();
const tomorrow = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
/** A valid body for each route with an id in its path, so that the refusal can only be about ownership. */
const BODIES: Readonly<Record<string, object>> = {
  "PUT /api/contacts/:id": { first_name: "Taken", phone_number: "+442079460000" },
  "POST /api/contacts/:id/favorite": {},
  "PUT /api/family/members/:id/limits": { daily_cap: null, monthly_cap: null, countries: null, time_zone: "UTC" },
  "POST /api/billing/payments/:id/end": {},
  "POST /api/calls/:id/stay": { page },
  "POST /api/calls/:id/leave": { page },
  "POST /api/calls/:id/hangup": {},
  "PATCH /api/calls/:id/control-id": { telnyx_leg_id: "taken", telnyx_session_id: "taken", call_id: "taken" },
  "POST /api/calls/:id/extend": {},
  "POST /api/calls/:id/move": { voice_session: randomUUID() },
  "POST /api/calls/:id/quality": { samples: [{ t: 1, mos: 1, rttMs: 1, jitterMs: 1, lossPct: 1 }] },
  "POST /api/calls/:id/rating": { sound: "bad" },
  "POST /api/calls/:id/refund-request": { reason: "no_audio" },
};
/** Routes whose path parameter is not an owned resource. */
const UNOWNED = new Set(["/rates/:slug", "/api/billing/statements/:month"]);

/** Requests that name a resource outside the path. */
const REQUESTS_WITH_IDS = (has: Belongings): readonly [method: string, path: string, body?: object][] => [
  ["POST", "/api/billing/confirm", { payment_id: has.payment }],
  ["POST", "/api/billing/confirm", { session_id: has.checkout }],
  ["POST", "/api/cases", { topic: "charge", message: "Whose?", about: { type: "call", id: has.call } }],
  ["POST", "/api/cases", { topic: "charge", message: "Whose?", about: { type: "payment", id: has.payment } }],
  ["GET", `/api/cases?cursor=${has.payment}`],
  ["POST", "/api/billing/document-ticket", { type: "receipt", id: has.receipt }],
  ["POST", "/api/billing/top-up", { amount: "10", card_id: has.card }],
  ["POST", "/api/billing/purchase-package", { package_id: "20", card_id: has.card }],
  ["POST", "/api/credit-requests", { replaces: has.replacedRequest }],
  ["POST", "/api/reminders", { contact_id: has.contact, date: tomorrow, time: "18:00" }],
  ["PUT", "/api/billing/auto-top-up", { on: true, card_id: has.card, threshold: "5", amount: "10", agreed: true }],
  ["GET", `/api/billing/receipts?cursor=${has.receipt}`],
  ["GET", `/api/billing/withdrawals?cursor=${has.payment}`],
  ["GET", `/api/account/activity?cursor=${Date.now()}.${has.session}`],
  ["GET", `/api/billing/transactions?cursor=~${has.payment}`],
  ["GET", `/api/calls/history?cursor=${Date.now()}.${has.call}.0`],
  ["GET", `/api/contacts?cursor=${Buffer.from(`${has.contact}a`).toString("base64url")}`],
];
/** A guest has no account: only they know the provider's session of their payment. */
const BY_SECRET = "POST /api/credit-requests/outcome";
/** Fields that name an owned resource. Passkeys' ids come with a signature, tokens with a MAC. */
const NAMES_OF_IDS = new Set(["about", "card_id", "contact_id", "cursor", "payment_id", "replaces", "session_id"]);

/** Spellings that might be read as this id: the usual one, upper case, and forms that PostgreSQL also accepts. */
function spellingsOf(id: string): string[] {
  return FULL_SIZE
    ? [...new Set([id, id.toUpperCase(), `{${id}}`, id.replaceAll("-", ""), id.slice(0, 18)])]
    : [id, id.toUpperCase()];
}

test("another customer's ids are refused and change nothing, on every route that takes an id", async () => {
  const before = await recordsOf(at, owner);
  for (const { method, url } of guarded.filter((route) => route.url.includes(":") && !UNOWNED.has(route.url))) {
    const body = BODIES[`${method} ${url}`];
    if (["POST", "PUT", "PATCH"].includes(method)) expect([method, url, body]).toEqual([method, url, expect.anything()]);
    for (const [kind, id] of Object.entries(belongings).filter(([name]) => name !== "checkout")) {
      for (const spelling of spellingsOf(id)) {
        const { status } = await requestAs(at, thief, { method, path: pathOf(url, encodeURIComponent(spelling)), body });
        const refused = [403, 404].includes(status) || ((spelling !== id || kind === "callerNumber") && status === 400);
        attempts.check(`another customer's ${kind}`, `${method} ${url} with ${spelling}: ${status}`, refused);
      }
    }
  }
  for (const [method, path, body] of REQUESTS_WITH_IDS(belongings)) {
    const { status, text } = await requestAs(at, thief, { method, path, body });
    const shown = Object.values(belongings).some((id) => text.includes(id)) || text.includes(owner.email);
    attempts.check(
      "another customer's id in a body or query",
      `${method} ${path}: ${status}`,
      status < 500 && !shown && (method === "GET" || status >= 400),
    );
  }
  expect(attempts.succeeded).toEqual([]);
  expect(await recordsOf(at, owner)).toEqual(before);
});

test("every endpoint whose body or query names a resource is tried", () => {
  const tried = REQUESTS_WITH_IDS(belongings).map(([method, path]) => `${method} ${path.split("?")[0]}`);
  const missing = guarded.flatMap(({ method, url }) => {
    const { body, query } = (api as Readonly<Record<string, Endpoint>>)[`${method} ${url}`] ?? {};
    const fields = [body, query].flatMap((schema) => Object.entries(sampleFields(schema) ?? {}).map(([name]) => name));
    const endpoint = `${method} ${url}`;
    if (endpoint === BY_SECRET || tried.includes(endpoint)) return [];
    return fields.some((name) => NAMES_OF_IDS.has(name)) ? [endpoint] : [];
  });
  expect(missing).toEqual([]);
});

const LAST_ENDED = ["/api/contacts/:id", "/api/sessions/:id"];
/** Whether a refusal is about something else than the owner, such as the state of the call. */
const isAdmitted = (status: number) => status > 0 && status < 500 && ![400, 401, 403, 404, 429].includes(status);

test("the owner gets through with each of the same requests, so the refusals are about ownership", async () => {
  for (const [method, path, body] of REQUESTS_WITH_IDS(belongings)) {
    const { status, text } = await requestAs(at, owner, { method, path, body });
    expect([method, path, text, isAdmitted(status) && status !== 422]).toEqual([method, path, text, true]);
  }
  const routes = guarded.filter((route) => route.url.includes(":") && !UNOWNED.has(route.url));
  // What ends a resource comes after what uses it, and last what ends others: a contact its reminder, a session everything.
  const rank = ({ method, url }: InventoryRoute) => (method === "DELETE" ? 1 + LAST_ENDED.indexOf(url) : -1);
  for (const { method, url } of routes.toSorted((a, b) => rank(a) - rank(b))) {
    const got = [];
    for (const [kind, id] of Object.entries(belongings).filter(([name]) => name !== "checkout" && name !== "session")) {
      const { status } = await requestAs(at, owner, {
        method,
        path: pathOf(url, encodeURIComponent(id)),
        body: BODIES[`${method} ${url}`],
      });
      if (isAdmitted(status)) got.push(kind);
      attempts.check("one's own id in a wrong place", `${method} ${url} with a ${kind}: ${status}`, status < 500);
    }
    const { status } =
      url === "/api/sessions/:id" ? await requestAs(at, owner, { method, path: pathOf(url, belongings.session) }) : { status: 0 };
    if (isAdmitted(status)) got.push("session");
    expect([method, url, got]).toEqual([method, url, [expect.any(String)]]);
  }
  expect(attempts.succeeded).toEqual([]);
});
