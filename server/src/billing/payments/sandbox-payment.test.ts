import { PATIENCE } from "@farline/domain/test/patience.ts";
import { sql } from "kysely";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { billingService, type BillingClient, type BillingService } from "../../../test/worlds/billing-service.ts";
import { startSandboxProcess, type SandboxProcess } from "../../../test/fakes/sandbox-process.ts";
import { ledger, verifyLedger } from "../../ledger/ledger.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { createStripe, reconcilePayments } from "../billing.ts";

const SECRET_KEY = "sk_test_farline";
const WEBHOOK_SECRET = "whsec_farline";
const GOOD_CARD = "4242 4242 4242 4242";
const DECLINED_CARD = "4000 0000 0000 0002";

let database: TestDatabase;
let sandbox: SandboxProcess;
let service: BillingService;

/** Listens first, because the sandbox needs the webhook URL before billing knows the sandbox's address. */
const receiver = createServer((request, response) => service.app.routing(request, response));
beforeAll(async () => {
  database = await testDatabase();
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  sandbox = await startSandboxProcess({
    databaseUrl: database.url,
    stripeSecretKey: SECRET_KEY,
    stripeWebhookSecret: WEBHOOK_SECRET,
    stripeWebhookUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/api/webhooks/stripe`,
  });
  service = await billingService(database.handle, { apiBase: sandbox.url, webhookSecret: WEBHOOK_SECRET });
});
afterEach(async () => {
  await chaos({ lose: false, duplicate: false });
  expect(await verifyLedger(database.handle.db)).toEqual([]);
});
afterAll(async () => {
  await sandbox.close();
  receiver.closeAllConnections();
  receiver.close();
  await service.close();
  await database.close();
});

async function chaos(change: object): Promise<void> {
  const response = await fetch(`${sandbox.url}/sandbox/stripe/chaos`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(change),
  });
  expect(response.status).toBe(200);
}

/** Acts as the payer on the hosted page. */
async function pay(checkoutUrl: string, card: string): Promise<Response> {
  const body = new URLSearchParams({ number: card, expiry: "12 / 34", cvc: "123", name: "Ada Caller" });
  return fetch(checkoutUrl, { method: "POST", body, redirect: "manual" });
}

async function booked(caller: BillingClient): Promise<number> {
  return Number((await ledger.balance(database.handle.db, caller.id)).balanceMicros) / 1e6;
}

test("a top-up paid on the hosted page is credited by the webhook, and the payer returns to the success page", async () => {
  const caller = await service.signUp();
  const { body } = await caller.post("purchase-package", { package_id: "20" });
  const back = await pay(body.checkout_url, GOOD_CARD);
  expect(back.headers.get("location")).toBe(`https://farline.example/billing/success?session_id=${body.session_id}`);
  await expect.poll(() => booked(caller)).toBe(21);
  expect((await caller.post("confirm", { session_id: body.session_id })).body).toMatchObject({
    status: "paid",
    balance: "21.00",
  });
});

test("a payment with a lost webhook is credited by the success page", async () => {
  await chaos({ lose: true });
  const caller = await service.signUp();
  const { body } = await caller.post("top-up", { amount: "12.50" });
  expect((await caller.post("confirm", { session_id: body.session_id })).body.status).toBe("open");
  await pay(body.checkout_url, GOOD_CARD);
  expect((await caller.post("confirm", { session_id: body.session_id })).body).toMatchObject({
    status: "paid",
    balance: "12.50",
  });
});

test("duplicate events credit a payment once", async () => {
  await chaos({ duplicate: true });
  const caller = await service.signUp();
  const { body } = await caller.post("top-up", { amount: 10 });
  await pay(body.checkout_url, GOOD_CARD);
  await expect.poll(() => booked(caller)).toBe(10);
  await caller.get("balance");
  expect((await caller.get("transactions")).body.transactions.total).toBe(1);
});

test("a declined card brings no credit, but another card on the same page does", async () => {
  const caller = await service.signUp();
  const { body } = await caller.post("top-up", { amount: 10 });
  expect((await pay(body.checkout_url, DECLINED_CARD)).status).toBe(402);
  expect(await caller.balance()).toBe("0.00");
  await pay(body.checkout_url, GOOD_CARD);
  expect((await caller.post("confirm", { session_id: body.session_id })).body).toMatchObject({
    status: "paid",
    balance: "10.00",
  });
});

test("a decline at an open checkout is pushed to open pages immediately, once per reason", async () => {
  const caller = await service.signUp();
  const { body } = await caller.post("top-up", { amount: 10 });
  const hint = { type: "payment", id: body.payment_id };
  const problem = async () => (await caller.post("confirm", { session_id: body.session_id })).body.problem;
  for (const [card, reason] of [
    [DECLINED_CARD, "declined"],
    ["4000 0000 0000 9995", "insufficient_funds"],
  ] as const) {
    await pay(body.checkout_url, card);
    const hints: object[] = [];
    await expect.poll(() => hints.push(...service.takeHints(caller))).toBeGreaterThan(0);
    expect(hints).toEqual([hint]);
    expect(await problem()).toBe(reason);
    expect(service.takeHints(caller)).toEqual([]);
  }
});

test("a refund made at the provider debits the credit", async () => {
  const caller = await service.signUp();
  const { body } = await caller.post("top-up", { amount: 10 });
  await pay(body.checkout_url, GOOD_CARD);
  await caller.post("confirm", { session_id: body.session_id });
  const stripe = createStripe(service.ctx.config);
  const session = await stripe.checkout.sessions.retrieve(body.session_id);
  await stripe.refunds.create({ payment_intent: session.payment_intent as string, amount: 400 });
  await expect.poll(() => booked(caller)).toBe(6);
});

/** Submits a form of the sandbox's control panel. */
async function panel(path: string): Promise<void> {
  const response = await fetch(`${sandbox.url}/sandbox/stripe/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  expect([path, response.status]).toEqual([path, 200]);
}

async function paidWith(card: string, amount: number) {
  const caller = await service.signUp();
  const { body } = await caller.post("top-up", { amount });
  await pay(body.checkout_url, card);
  return caller;
}

async function statusOf(caller: BillingClient): Promise<string> {
  const { rows } = await sql<any>`select status from customer where id = ${caller.id}`.execute(database.handle.db);
  return rows[0].status;
}

async function eventually(check: () => Promise<void>): Promise<void> {
  await vi.waitFor(check, PATIENCE);
}

test("a dispute debits the payment and freezes the account, and winning it restores the credit", async () => {
  const caller = await paidWith("4000 0000 0000 0259", 10);
  await eventually(async () => {
    expect([await booked(caller), await statusOf(caller)]).toEqual([0, "frozen"]);
    expect((await caller.get("transactions")).body.transactions.total).toBe(2);
  });
  const [dispute] = (await createStripe(service.ctx.config).disputes.list({ limit: 1 })).data;
  await panel(`disputes/${dispute?.id}/win`);
  await eventually(async () => expect(await booked(caller)).toBe(10));
  expect(await statusOf(caller)).toBe("frozen");
});

test("a payment reported as fraud is refunded and its account frozen", async () => {
  const caller = await paidWith("4000 0000 0000 5423", 10);
  await eventually(async () => {
    expect([await booked(caller), await statusOf(caller)]).toEqual([0, "frozen"]);
    const [refund] = (await createStripe(service.ctx.config).refunds.list({ limit: 1 })).data;
    expect([refund?.amount, refund?.reason, refund?.status]).toEqual([1_000, "fraudulent", "succeeded"]);
  });
});

test("a withdrawal returned by the bank days later is credited back", async () => {
  const caller = await paidWith("4000 0000 0000 5126", 10);
  await eventually(async () => expect(await booked(caller)).toBe(10));
  const { body } = await caller.post("withdrawals", { amount: 10 });
  expect([body.withdrawal.parts[0].status, body.balance]).toEqual(["succeeded", "0.00"]);
  const [refund] = (await createStripe(service.ctx.config).refunds.list({ limit: 1 })).data;
  await panel(`refunds/${refund?.id}/fail`);
  await eventually(async () => expect(await booked(caller)).toBe(10));
  expect((await caller.get("withdrawals")).body.withdrawals.data[0].parts[0].status).toBe("failed");
});

test("declined charges are recorded once each", async () => {
  const caller = await paidWith(DECLINED_CARD, 10);
  await eventually(async () => {
    const { rows } = await sql<any>`select code from payment_failure where customer_id = ${caller.id}`.execute(
      database.handle.db,
    );
    expect(rows).toEqual([{ code: "card_declined" }]);
  });
});

test("after all these tests the ledger and the provider agree to the cent", async () => {
  const now = service.clock.now().getTime();
  const span = { from: new Date(now - 60 * 60 * 1000), to: new Date(now + 60 * 60 * 1000) };
  const result = await reconcilePayments(service.ctx, span);
  expect([result.differences, result.providerMicros]).toEqual([0, result.ledgerMicros]);
  expect(result.charges).toBeGreaterThan(5);
});
