import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkStripe } from "./check-payment-provider.ts";

const publicUrl = "https://calls.example.com";
let server: Server;
let port: number;
/** Answers by path; other lists are empty. */
let answers: Record<string, { status: number; body: object }>;
beforeEach(async () => {
  answers = {
    "/v1/balance": { status: 200, body: { object: "balance", available: [{ amount: 1, currency: "usd" }], pending: [] } },
  };
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://provider");
    const { status, body } = answers[pathname] ?? { status: 200, body: { object: "list", data: [], has_more: false } };
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address() as AddressInfo);
});
afterEach(() => server.close());

function check(secretKey = "sk_test_key") {
  const apiBase = `http://127.0.0.1:${port}`;
  return checkStripe({ publicUrl, stripe: { secretKey, webhookSecrets: [], apiBase } });
}
const refuse = (path: string, message: string) => {
  answers[path] = { status: 403, body: { error: { type: "invalid_request_error", message } } };
};
const charge = (site: string | null) => ({ id: "ch_1", object: "charge", metadata: site === null ? {} : { site } });

test("a key that may do everything, for an account in dollars of our own, is all right", async () => {
  answers["/v1/charges"] = { status: 200, body: { object: "list", data: [charge(publicUrl)], has_more: false } };
  expect(await check()).toEqual([
    { level: "ok", text: "The payment provider accepts STRIPE_SECRET_KEY, for everything that is read." },
  ]);
});

test.each([
  ["charges", "/v1/charges"],
  ["customers", "/v1/customers"],
  ["checkout sessions", "/v1/checkout/sessions"],
  ["payment intents", "/v1/payment_intents"],
  ["refunds", "/v1/refunds"],
  ["disputes", "/v1/disputes"],
  ["fraud warnings", "/v1/radar/early_fraud_warnings"],
  ["balance transactions", "/v1/balance_transactions"],
  ["payouts", "/v1/payouts"],
  ["events", "/v1/events"],
])("a restricted key that may not read %s is a fault that names the permission", async (what, path) => {
  refuse(path, "Having the 'rak_some_read' permission would allow this request to continue.");
  const findings = await check("rk_test_key");
  expect(findings).toContainEqual({
    level: "fault",
    text: `STRIPE_SECRET_KEY may not read ${what}: add the permission rak_some_read to the restricted key.`,
  });
  expect(findings).toContainEqual({ level: "warning", text: expect.stringMatching(/must also be allowed to write .*refunds/) });
  expect(findings.filter(({ level }) => level === "ok")).toEqual([]);
});

test("an account that settles elsewhere is a warning, and so is a balance that may not be read", async () => {
  answers["/v1/balance"] = {
    status: 200,
    body: { object: "balance", available: [{ amount: 1, currency: "jpy" }], pending: [{ amount: 1, currency: "eur" }] },
  };
  expect(await check()).toContainEqual({ level: "warning", text: expect.stringContaining("settles in EUR and JPY") });
  refuse("/v1/balance", "no");
  expect(await check()).toContainEqual({
    level: "warning",
    text: expect.stringContaining("lacks the permission to read the balance"),
  });
});

test("an account with other business is a warning", async () => {
  const data = [charge(publicUrl), charge(null), charge("https://staging.example.com")];
  answers["/v1/charges"] = { status: 200, body: { object: "list", data, has_more: false } };
  expect(await check()).toContainEqual({ level: "warning", text: expect.stringContaining("2 of its latest 3 charges") });
});

test("a key that is refused, and a provider that does not answer, are faults", async () => {
  answers["/v1/charges"] = { status: 401, body: { error: { type: "invalid_request_error" } } };
  expect(await check()).toEqual([{ level: "fault", text: "The payment provider refuses STRIPE_SECRET_KEY." }]);
  server.close();
  server.closeAllConnections();
  expect(await check()).toEqual([{ level: "fault", text: expect.stringContaining("does not answer") }]);
});
