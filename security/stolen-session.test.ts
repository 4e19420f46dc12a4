import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCustomer, requestAs, type TestCustomer } from "./src/customers.ts";
import { Attempts, inventory, pathOf } from "./src/attempts.ts";
import { type Installation, startInstallation } from "./src/product.ts";

const attempts = new Attempts();
let at: Installation;
/** Their token is stolen two hours after sign-in. */
let owner: TestCustomer;

beforeAll(async () => {
  at = await startInstallation();
  owner = await newCustomer(at);
  await at.database.handle.pool.query("update session set authenticated_at = now() - interval '2 hours' where customer_id = $1", [
    owner.id,
  ]);
});
afterAll(() => at?.close());

const LIMITS = { daily_cap: "10.00", call_cap: "1.00", countries: ["FR"], time_zone: "UTC" };
const PASSWORDS = { password: "a thief's own words", password_confirmation: "a thief's own words" };

/** What a thief would send to a route that asks for recent proof of identity for some requests. */
const WANTED: Readonly<Record<string, readonly object[]>> = {
  "POST /api/billing/top-up": [{ amount: "100", card_id: randomUUID() }],
  "POST /api/billing/purchase-package": [{ package_id: "50", card_id: randomUUID() }],
  "PUT /api/billing/auto-top-up": [{ on: true, card_id: randomUUID(), threshold: "5", amount: "10", agreed: true }],
  "POST /api/billing/document-ticket": [{ type: "statement", month: new Date().toISOString().slice(0, 7), format: "csv" }],
  "PUT /api/calls/guard-rails": [
    { ...LIMITS, daily_cap: null },
    { ...LIMITS, daily_cap: "10.01" },
    { ...LIMITS, call_cap: null },
    { ...LIMITS, countries: null },
    { ...LIMITS, countries: ["FR", "CU"] },
  ],
  "PATCH /api/family/choices": [{ owner_pays: false, shows_numbers: true }],
  "POST /api/email/change": [{ email: "thief@example.com" }],
  "POST /api/password": [PASSWORDS],
};

/** Routes that change something and need no recent proof, and why. A new route is either listed here or guarded. */
const OPEN: Readonly<Record<string, string>> = {
  "POST /api/logout": "ends access",
  "DELETE /api/sessions/:id": "ends access",
  "DELETE /api/sessions": "ends access",
  "POST /api/reauthenticate": "is the proof",
  "PATCH /api/user": "the language of mails; the name, whose change is in the account's history",
  "POST /api/email/verification": "a mail to the owner",
  "POST /api/email/verify/code": "needs the code from the owner's mailbox",
  "POST /api/account/google/callback": "completes what a guarded route began",
  "POST /api/account/export/ticket": "needs the link from the owner's mailbox",
  "DELETE /api/account/erasure": "keeps the account",
  "POST /api/billing/confirm": "reads what was paid",
  "POST /api/billing/payments/:id/end": "ends a checkout that is not paid",
  "POST /api/billing/promo/check": "reads",
  "POST /api/billing/test-credit": "play money",
  "DELETE /api/billing/cards/:id": "fewer ways to pay",
  "POST /api/billing/gifts": "a payment with a card typed at the payment provider",
  "POST /api/credit-requests": "credit for the owner",
  "DELETE /api/credit-requests/:id": "one link fewer",
  "POST /api/referral/claim": "credit for the owner",
  "POST /api/contacts": "one contact at a time, as the page shows them",
  "PUT /api/contacts/:id": "one contact",
  "DELETE /api/contacts/:id": "one contact",
  "POST /api/contacts/:id/favorite": "one contact",
  "POST /api/contacts/import": "adds contacts",
  "POST /api/reminders": "a mail to the owner",
  "DELETE /api/reminders/:id": "one mail fewer",
  "PUT /api/calls/caller-id": "one of the owner's verified numbers",
  "POST /api/calls/caller-id/checks": "a call to the number that is added",
  "POST /api/calls/caller-id/checks/confirm": "needs the code of that call",
  "DELETE /api/calls/caller-id/numbers/:number": "one number fewer",
  "POST /api/calls/quote": "reads",
  "POST /api/calls/initiate": "spends credit within the owner's limits, which a thief cannot loosen",
  "POST /api/calls/echo-test": "free",
  "POST /api/calls/:id/extend": "a running call",
  "POST /api/calls/:id/move": "a running call",
  "POST /api/calls/:id/stay": "a running call",
  "POST /api/calls/:id/leave": "a running call",
  "POST /api/calls/:id/quality": "a running call",
  "PATCH /api/calls/:id/control-id": "a running call",
  "POST /api/calls/:id/rating": "an opinion",
  "POST /api/calls/:id/refund-request": "credit for the owner",
  "DELETE /api/family": "fewer people on one's credit",
  "DELETE /api/family/members/:id": "fewer people on one's credit",
  "DELETE /api/family/invitations/:id": "fewer people on one's credit",
  "POST /api/cases": "a question to the operators",
};

function request(method: string, path: string, body: object | undefined) {
  return requestAs(at, owner, { method, path, body });
}

test("each route that changes something requires recent proof, or is listed as harmless with a stolen session", () => {
  const changing = inventory(at)
    .filter(({ part, method }) => part === "service" && !["GET", "HEAD", "OPTIONS"].includes(method))
    .filter(({ access }) => access === "customer" || access === "step-up-when");
  const name = ({ method, url }: (typeof changing)[number]) => `${method} ${url}`;
  const of = (access: string) => changing.filter((route) => route.access === access).map(name);
  expect(of("customer").toSorted()).toEqual(Object.keys(OPEN).toSorted());
  expect(of("step-up-when").toSorted()).toEqual(Object.keys(WANTED).toSorted());
});

test("a session two hours old can set limits, but not loosen them, pay, withdraw, export or change how to sign in", async () => {
  for (const limits of [{ ...LIMITS, daily_cap: "20.00" }, LIMITS])
    expect((await request("PUT", "/api/calls/guard-rails", limits)).status).toBe(200);
  const guarded = inventory(at).filter(({ part, access }) => part === "service" && access === "step-up");
  const tries = [
    ...guarded.filter(({ method }) => method !== "HEAD").map(({ method, url }) => [method, pathOf(url), {}] as const),
    ...Object.entries(WANTED).flatMap(([route, bodies]) => {
      const [method = "", path = ""] = route.split(" ");
      return bodies.map((body) => [method, path, body] as const);
    }),
    ["GET", "/api/contacts/export?format=csv", undefined] as const,
    ["GET", `/api/contacts/export?format=csv&token=${owner.token}`, undefined] as const,
  ];
  for (const [method, path, body] of tries) {
    const { status, text } = await request(method, path, ["GET", "DELETE"].includes(method) ? undefined : body);
    attempts.check("a stolen session", `${method} ${path}: ${status}`, status === 403 && text.includes("reauth_required"));
  }
  expect(attempts.succeeded).toEqual([]);
  const { rows } = await at.database.handle.pool.query(
    "select daily_cap_micros, countries from guard_rail where customer_id = $1",
    [owner.id],
  );
  expect(rows).toEqual([{ daily_cap_micros: 10_000_000n, countries: ["FR"] }]);
});
