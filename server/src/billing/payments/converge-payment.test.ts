import { MINUTE_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { confirmResponse, transactionsResponse } from "@farline/contract/billing.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { billingService, type BillingClient, type BillingService } from "../../../test/worlds/billing-service.ts";
import { ScriptedStripe } from "../../../test/fakes/scripted-stripe.ts";
import { ledger, verifyLedger } from "../../ledger/ledger.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { convergePayment } from "./converge-payment.ts";

let database: TestDatabase;
let stripe: ScriptedStripe;
let service: BillingService;
let caller: BillingClient;
beforeAll(async () => {
  database = await testDatabase({ poolSize: 40 });
});
afterAll(() => database.close());
beforeEach(async () => {
  stripe = await ScriptedStripe.start();
  service = await billingService(database.handle, { apiBase: stripe.url, webhookSecret: stripe.webhookSecret });
  caller = await service.signUp();
});
afterEach(async () => {
  await service.close();
  await stripe.close();
  expect(await verifyLedger(database.handle.db)).toEqual([]);
});

async function checkout(request: { amount?: number; package_id?: string }): Promise<{ paymentId: string; sessionId: string }> {
  const { body } = await caller.post(request.package_id === undefined ? "top-up" : "purchase-package", request);
  return { paymentId: body.payment_id, sessionId: body.session_id };
}

function completed(sessionId: string, overrides?: Parameters<ScriptedStripe["event"]>[2]) {
  return stripe.event("checkout.session.completed", { id: sessionId }, overrides);
}

function refunded(sessionId: string) {
  return stripe.event("charge.refunded", { id: "ch_1", payment_intent: stripe.session(sessionId).intent.id });
}

/** The ledger's balance, without the balance route's check of open payments. */
async function booked(): Promise<[balance: number, debt: number]> {
  const { balanceMicros, debtMicros } = await ledger.balance(database.handle.db, caller.id);
  return [Number(balanceMicros) / 1e6, Number(debtMicros) / 1e6];
}

async function statusOf(paymentId: string): Promise<string> {
  const { rows } = await sql<any>`select status from payment where id = ${paymentId}`.execute(database.handle.db);
  return rows[0].status;
}

describe("a paid checkout is credited exactly once", () => {
  test("by the webhook, even if delivered twice, with another event id or after confirmation", async () => {
    const { sessionId } = await checkout({ package_id: "20" });
    stripe.pay(sessionId);
    const event = completed(sessionId);
    expect((await service.webhook(event)).statusCode).toBe(200);
    expect(await booked()).toEqual([21, 0]);
    expect((await service.webhook(event)).statusCode).toBe(200);
    expect((await service.webhook(completed(sessionId))).statusCode).toBe(200);
    const { body } = await caller.post("confirm", { session_id: sessionId });
    expect(confirmResponse.parse(body)).toMatchObject({ status: "paid", amount: "21.00", balance: "21.00", currency: "USD" });
    const { transactions } = transactionsResponse.parse((await caller.get("transactions")).body);
    expect(transactions.data.map((line) => [line.kind, line.amount, line.balance_after])).toEqual([
      ["bonus", "1.00", "21.00"],
      ["top_up", "20.00", "20.00"],
    ]);
  });

  test("by the success page if the webhook never arrives", async () => {
    const { sessionId } = await checkout({ amount: 10 });
    expect((await caller.post("confirm", { session_id: sessionId })).body.status).toBe("open");
    stripe.pay(sessionId);
    expect((await caller.post("confirm", { session_id: sessionId })).body).toMatchObject({ status: "paid", balance: "10.00" });
  });

  test("by reading the balance", async () => {
    const { sessionId } = await checkout({ amount: 10 });
    stripe.pay(sessionId);
    expect(await caller.balance()).toBe("10.00");
  });

  test("by the poller if the page was closed and the webhook never arrives", async () => {
    const { sessionId } = await checkout({ amount: 10 });
    stripe.pay(sessionId);
    await service.poll();
    expect(await booked()).toEqual([0, 0]);
    service.clock.advance(2 * MINUTE_MS);
    await service.poll();
    expect(await booked()).toEqual([10, 0]);
  });

  test("under 20 parallel checks, webhooks and confirmations", async () => {
    const { paymentId, sessionId } = await checkout({ package_id: "50" });
    stripe.pay(sessionId);
    await database.warmUp();
    await Promise.all([
      ...Array.from({ length: 20 }, () => convergePayment(service.ctx, paymentId)),
      ...Array.from({ length: 10 }, () => service.webhook(completed(sessionId))),
      ...Array.from({ length: 10 }, () => caller.post("confirm", { session_id: sessionId })),
    ]);
    expect(await booked()).toEqual([55, 0]);
  });

  test("by the webhook's session if the response that created it was lost", async () => {
    stripe.dropNext = 3;
    expect((await caller.post("top-up", { amount: 10 })).status).toBe(503);
    const [sessionId] = [...stripe.sessions.keys()];
    if (sessionId === undefined) throw new Error("no session");
    stripe.pay(sessionId);
    const { metadata } = stripe.session(sessionId);
    await service.webhook(stripe.event("checkout.session.completed", { id: sessionId, metadata }));
    expect(await booked()).toEqual([10, 0]);
  });
});

describe("a webhook", () => {
  test("that fails returns an error, and its redelivery credits the payment", async () => {
    const { sessionId } = await checkout({ amount: 10 });
    stripe.pay(sessionId);
    const event = completed(sessionId);
    stripe.failNext = 3;
    expect((await service.webhook(event)).statusCode).toBeGreaterThanOrEqual(500);
    expect(await booked()).toEqual([0, 0]);
    expect((await service.webhook(event)).statusCode).toBe(200);
    expect(await booked()).toEqual([10, 0]);
  });

  test("credits nothing by itself if Stripe does not know the payment", async () => {
    const { paymentId, sessionId } = await checkout({ amount: 10 });
    const lie = { id: sessionId, payment_status: "paid", amount_total: 1_000, metadata: { payment_id: paymentId } };
    expect((await service.webhook(stripe.event("checkout.session.completed", lie))).statusCode).toBe(200);
    expect(await booked()).toEqual([0, 0]);
  });

  test.each(["forged", "unsigned", "stale", "from the future"])("that is %s is refused and changes nothing", async (fault) => {
    const { sessionId } = await checkout({ amount: 10 });
    stripe.pay(sessionId);
    const now = service.clock.now().getTime();
    const event = {
      forged: () => completed(sessionId, { secret: "whsec_guessed" }),
      unsigned: () => ({ payload: completed(sessionId).payload, headers: { "content-type": "application/json" } }),
      stale: () => completed(sessionId, { signedAt: new Date(now - 302_000) }),
      "from the future": () => completed(sessionId, { signedAt: new Date(now + 302_000) }),
    }[fault];
    const response = await service.webhook(event?.() as ReturnType<typeof completed>);
    expect([response.statusCode, response.json().code]).toEqual([400, "bad_signature"]);
    expect(await booked()).toEqual([0, 0]);
  });

  test("with a changed byte is refused", async () => {
    const { sessionId } = await checkout({ amount: 10 });
    const event = completed(sessionId);
    expect((await service.webhook({ ...event, payload: event.payload.replace("{", "{ ") })).statusCode).toBe(400);
  });

  test("signed with the previous secret is accepted", async () => {
    const { sessionId } = await checkout({ amount: 10 });
    expect((await service.webhook(completed(sessionId, { secret: "whsec_old" }))).statusCode).toBe(200);
  });

  test("for another service's checkout or of an unused type is accepted and ignored", async () => {
    for (const event of [
      stripe.event("checkout.session.completed", { id: "cs_other", metadata: { payment_id: "not-ours" } }),
      stripe.event("checkout.session.completed", { id: "cs_other", metadata: null }),
      stripe.event("customer.created", { id: "cus_1" }),
      stripe.event("refund.created", { id: "re_1", payment_intent: null }),
    ])
      expect((await service.webhook(event)).statusCode).toBe(200);
  });

  test("above 256 KiB is refused", async () => {
    const response = await service.webhook(stripe.event("customer.created", { text: "x".repeat(256 * 1024) }));
    expect(response.statusCode).toBe(413);
  });
});

describe("a checkout that does not match its order is never credited", () => {
  test.each([
    ["another amount", { amount_total: 999 }],
    ["another currency", { currency: "eur" }],
    ["live mode", { livemode: true }],
    ["another payment", { metadata: { payment_id: "00000000-0000-7000-8000-000000000000" } }],
  ])("%s", async (_what, change) => {
    const { paymentId, sessionId } = await checkout({ amount: 10 });
    stripe.pay(sessionId);
    Object.assign(stripe.session(sessionId), change);
    await service.webhook(completed(sessionId));
    expect((await caller.post("confirm", { session_id: sessionId })).body.status).toBe("open");
    expect(await booked()).toEqual([0, 0]);
    expect(await statusOf(paymentId)).toBe("review");
  });

  test("if it is complete but not yet paid", async () => {
    const { sessionId } = await checkout({ amount: 10 });
    stripe.pay(sessionId);
    stripe.session(sessionId).payment_status = "unpaid";
    stripe.session(sessionId).intent.status = "processing";
    await service.webhook(completed(sessionId));
    expect((await caller.post("confirm", { session_id: sessionId })).body.status).toBe("pending");
    stripe.session(sessionId).intent.status = "requires_payment_method";
    await service.webhook(stripe.event("checkout.session.async_payment_failed", { id: sessionId }));
    expect((await caller.post("confirm", { session_id: sessionId })).body.status).toBe("failed");
    expect(await booked()).toEqual([0, 0]);
  });

  test("another customer's or an unknown session cannot be confirmed", async () => {
    const { sessionId } = await checkout({ amount: 10 });
    stripe.pay(sessionId);
    const other = await service.signUp();
    expect((await other.post("confirm", { session_id: sessionId })).status).toBe(404);
    expect((await other.post("confirm", { session_id: "cs_unknown" })).status).toBe(404);
    expect(await other.balance()).toBe("0.00");
  });
});

describe("a checkout that is not paid", () => {
  test("expires and is no longer checked", async () => {
    const { paymentId, sessionId } = await checkout({ amount: 10 });
    stripe.session(sessionId).status = "expired";
    service.clock.advance(41 * MINUTE_MS);
    await service.poll();
    expect(await statusOf(paymentId)).toBe("expired");
    expect(stripe.timesAsked(sessionId)).toBe(1);
    service.clock.advance(60 * MINUTE_MS);
    await service.poll();
    expect(stripe.timesAsked(sessionId)).toBe(1);
  });

  test("is checked only after 2, 5 and 15 minutes and after it expired", async () => {
    const { sessionId } = await checkout({ amount: 10 });
    const checks: number[] = [];
    for (let minute = 1; minute <= 40; minute++) {
      service.clock.advance(MINUTE_MS);
      const before = stripe.timesAsked(sessionId);
      if (minute === 40) stripe.session(sessionId).status = "expired";
      await service.poll();
      if (stripe.timesAsked(sessionId) > before) checks.push(minute);
    }
    expect(checks).toEqual([2, 5, 15, 40]);
  });

  test("is checked again after a Stripe outage", async () => {
    const { sessionId } = await checkout({ amount: 10 });
    stripe.pay(sessionId);
    service.clock.advance(2 * MINUTE_MS);
    stripe.failNext = 3;
    await service.poll();
    expect(await booked()).toEqual([0, 0]);
    service.clock.advance(3 * MINUTE_MS);
    await service.poll();
    expect(await booked()).toEqual([10, 0]);
  });

  test("expires even if Stripe never received it", async () => {
    stripe.failNext = 3;
    await caller.post("top-up", { amount: 10 });
    service.clock.advance(41 * MINUTE_MS);
    await service.poll();
    const { rows } = await sql<any>`select status from payment where customer_id = ${caller.id}`.execute(database.handle.db);
    expect(rows).toEqual([{ status: "expired" }]);
  });

  test("is checked at Stripe at most once in two seconds, even if the balance is read more often", async () => {
    const { sessionId } = await checkout({ amount: 10 });
    await Promise.all(Array.from({ length: 10 }, () => caller.balance()));
    expect(stripe.timesAsked(sessionId)).toBe(1);
    service.clock.advance(2_000);
    await caller.balance();
    expect(stripe.timesAsked(sessionId)).toBe(2);
  });

  test("does not block the balance during a Stripe outage", async () => {
    await caller.post("test-credit", { amount: 3 });
    await checkout({ amount: 10 });
    await stripe.close();
    expect(await caller.balance()).toBe("3.00");
  });
});

describe("credit that arrives after the payment ended", () => {
  test.each(["expired", "failed"] as const)(
    "%s: open pages are notified, and the receipt has the time of payment",
    async (end) => {
      const { paymentId, sessionId } = await checkout({ amount: 10 });
      Object.assign(stripe.session(sessionId), { status: end === "failed" ? "complete" : "expired" });
      await service.webhook(completed(sessionId));
      expect(await statusOf(paymentId)).toBe(end);
      service.clock.advance(MINUTE_MS);
      stripe.pay(sessionId);
      service.takeHints(caller);
      await service.webhook(completed(sessionId, { signedAt: service.clock.now() }));
      expect(await booked()).toEqual([10, 0]);
      expect(service.takeHints(caller)).toEqual(
        expect.arrayContaining([{ type: "payment", id: paymentId }, { type: "balance" }, { type: "transactions" }]),
      );
      await service.runJob("issue-receipts");
      const { rows } =
        await sql<any>`select settled_at, paid_at from payment join receipt on receipt.id = receipt_id where payment.id = ${paymentId}`.execute(
          database.handle.db,
        );
      expect(rows).toEqual([{ settled_at: service.clock.now(), paid_at: service.clock.now() }]);
    },
  );
});

describe("a refund", () => {
  test("takes the credit back with its share of the bonus, once, in steps", async () => {
    const { sessionId } = await checkout({ package_id: "50" });
    stripe.pay(sessionId);
    await service.webhook(completed(sessionId));
    stripe.refundTo(sessionId, 2_000);
    await service.webhook(refunded(sessionId));
    await service.webhook(refunded(sessionId));
    expect(await booked()).toEqual([33, 0]);
    stripe.refundTo(sessionId, 5_000);
    await service.webhook(refunded(sessionId));
    expect(await booked()).toEqual([0, 0]);
  });

  test("whose event arrives before its payment's is booked correctly", async () => {
    const { sessionId } = await checkout({ amount: 10 });
    stripe.pay(sessionId);
    stripe.refundTo(sessionId, 400);
    await service.webhook(refunded(sessionId));
    await service.webhook(completed(sessionId));
    expect(await booked()).toEqual([6, 0]);
  });

  test("of spent credit becomes a debt, which the next top-up repays", async () => {
    const { sessionId } = await checkout({ amount: 10 });
    stripe.pay(sessionId);
    await service.webhook(completed(sessionId));
    await ledger.hold(database.handle.db, {
      holdId: caller.id,
      customerId: caller.id,
      wantMicros: 7_000_000n,
      leastMicros: 1n,
    });
    await ledger.postHold(database.handle.db, { holdId: caller.id, chargeMicros: 7_000_000n, description: "Call" });
    stripe.refundTo(sessionId, 1_000);
    await service.webhook(refunded(sessionId));
    expect(await booked()).toEqual([0, 7]);
    expect((await caller.get("balance")).body).toMatchObject({ balance: "0.00", debt: "7.00" });
    const second = await checkout({ amount: 10 });
    stripe.pay(second.sessionId);
    expect(await caller.balance()).toBe("3.00");
  });

  test("that failed at the bank restores the credit and can be retried", async () => {
    const { sessionId } = await checkout({ package_id: "20" });
    stripe.pay(sessionId);
    await service.webhook(completed(sessionId));
    const seen: number[] = [];
    for (const cents of [2_000, 0, 2_000]) {
      stripe.refundTo(sessionId, cents);
      await service.webhook(stripe.event("refund.updated", { id: "re_1", payment_intent: stripe.session(sessionId).intent.id }));
      seen.push((await booked())[0]);
    }
    expect(seen).toEqual([0, 21, 0]);
  });

  test("is not undone by a slower check with an older state", async () => {
    const { paymentId, sessionId } = await checkout({ amount: 10 });
    stripe.pay(sessionId);
    await service.webhook(completed(sessionId));
    const slow = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    stripe.beforeAnswer = () => {
      stripe.beforeAnswer = async () => {};
      reached.resolve();
      return slow.promise;
    };
    const check = convergePayment(service.ctx, paymentId);
    await reached.promise;
    stripe.refundTo(sessionId, 1_000);
    await service.webhook(refunded(sessionId));
    slow.resolve();
    await check;
    expect(await booked()).toEqual([0, 0]);
  });
});
