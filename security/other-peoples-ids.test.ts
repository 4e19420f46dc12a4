import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBelongings, newCustomer, recordsOf, type Belongings, type TestCustomer } from "./src/customers.ts";
import { Attempts, FULL_SIZE } from "./src/attempts.ts";
import { inventory, pathOf, type InventoryRoute } from "./src/inventory.ts";
import { startInstallation, type Installation } from "./src/product.ts";
import { rawHttp } from "./src/raw-http.ts";

const attempts = new Attempts();
let at: Installation;
let owner: TestCustomer;
let thief: TestCustomer;
let belongings: Belongings;
let guarded: InventoryRoute[];

beforeAll(async () => {
  at = await startInstallation();
  [owner, thief] = [await newCustomer(at), await newCustomer(at)];
  belongings = await createBelongings(at, owner);
  // An operator's routes refuse every customer (inventory.test.ts).
  guarded = inventory(at).filter(({ part, access }) => part === "service" && access !== "provider" && access !== "operator");
});
afterAll(() => at?.close());

const page = randomUUID();
/** A valid body for each route with an id in its path, so that the refusal can only be about ownership. */
const BODIES: Readonly<Record<string, object>> = {
  "PUT /api/contacts/:id": { first_name: "Taken", phone_number: "+442079460000" },
  "POST /api/contacts/:id/favorite": {},
  "PUT /api/family/members/:id/limits": { daily_cap: null, monthly_cap: null, countries: null, time_zone: "UTC" },
  "POST /api/calls/:id/stay": { page },
  "POST /api/calls/:id/leave": { page },
  "POST /api/calls/:id/hangup": {},
  "PATCH /api/calls/:id/control-id": { telnyx_leg_id: "taken", telnyx_session_id: "taken", call_id: "taken" },
  "POST /api/calls/:id/extend": {},
  "POST /api/calls/:id/move": { voice_session: randomUUID() },
  "POST /api/calls/:id/quality": { samples: [{ t: 1, mos: 1, rttMs: 1, jitterMs: 1, lossPct: 1 }] },
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
  ["PUT", "/api/billing/auto-top-up", { on: true, card_id: has.card, threshold: "5", amount: "10", agreed: true }],
  ["GET", `/api/billing/receipts?cursor=${has.receipt}`],
  ["GET", `/api/billing/withdrawals?cursor=${has.payment}`],
  ["GET", `/api/account/activity?cursor=${Date.now()}.${has.session}`],
];

async function tryAs(
  customer: TestCustomer,
  { method, path, body }: { method: string; path: string; body?: object | undefined },
) {
  const headers = { authorization: `Bearer ${customer.token}`, "idempotency-key": randomUUID() };
  return rawHttp(at.addresses.port, path, { method, headers, body });
}

/** Spellings that might be read as this id: the usual one, upper case, and forms that PostgreSQL also accepts. */
function spellingsOf(id: string): string[] {
  return FULL_SIZE
    ? [...new Set([id, id.toUpperCase(), `{${id}}`, id.replaceAll("-", ""), id.slice(0, 18)])]
    : [id, id.toUpperCase()];
}

test("another customer's ids are refused and change nothing, on every route that takes an id", { timeout: 240_000 }, async () => {
  const before = await recordsOf(at, owner);
  for (const { method, url } of guarded.filter((route) => route.url.includes(":") && !UNOWNED.has(route.url))) {
    const body = BODIES[`${method} ${url}`];
    if (["POST", "PUT", "PATCH"].includes(method)) expect([method, url, body]).toEqual([method, url, expect.anything()]);
    for (const [kind, id] of Object.entries(belongings).filter(([name]) => name !== "checkout")) {
      for (const spelling of spellingsOf(id)) {
        const { status } = await tryAs(thief, { method, path: pathOf(url, spelling), body });
        const refused = [403, 404].includes(status) || (spelling !== id && status === 400);
        attempts.check(`another customer's ${kind}`, `${method} ${url} with ${spelling}: ${status}`, refused);
      }
    }
  }
  for (const [method, path, body] of REQUESTS_WITH_IDS(belongings)) {
    const { status, text } = await tryAs(thief, { method, path, body });
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

test("the owner may use the same ids, so the refusals are about ownership", async () => {
  for (const [url, id] of [
    ["/api/calls/:id", belongings.call],
    ["/api/calls/:id/details", belongings.call],
    ["/api/billing/receipts/:id", belongings.receipt],
  ] as const)
    expect([url, (await tryAs(owner, { method: "GET", path: pathOf(url, id) })).status]).toEqual([url, 200]);
  for (const [url, id] of [
    ["/api/contacts/:id", belongings.contact],
    ["/api/account/passkeys/:id", belongings.passkey],
    ["/api/billing/cards/:id", belongings.card],
    ["/api/sessions/:id", belongings.session],
  ] as const) {
    const { status } = await tryAs(owner, { method: "DELETE", path: pathOf(url, id) });
    expect([url, status < 300]).toEqual([url, true]);
  }
});
