import { checkoutResponse, packagesResponse } from "@farline/contract/billing.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { billingService, type BillingService } from "../../../test/worlds/billing-service.ts";
import { ScriptedStripe } from "../../../test/fakes/scripted-stripe.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";

let database: TestDatabase;
let stripe: ScriptedStripe;
let service: BillingService;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  stripe = await ScriptedStripe.start();
  service = await billingService(database.handle, { apiBase: stripe.url, webhookSecret: stripe.webhookSecret });
  return async () => {
    await service.close();
    await stripe.close();
  };
});

describe("starting a checkout", () => {
  test.each([5, "5", "5.00", 12.5, "12.50", 500])("%j dollars is accepted", async (amount) => {
    const caller = await service.signUp();
    const { status, body } = await caller.post("top-up", { amount });
    expect(status).toBe(200);
    const { session_id } = checkoutResponse.parse(body);
    expect(stripe.session(session_id ?? "").amount_total).toBe(Number(amount) * 100);
  });

  test.each([
    [4.99, "Minimum top-up amount is $5"],
    ["0", "Minimum top-up amount is $5"],
    [500.01, "Maximum top-up amount is $500"],
    ["999999999999", "Maximum top-up amount is $500"],
    [-5, "Enter an amount in dollars, for example 10 or 12.50"],
    ["5.001", "Enter an amount in dollars, for example 10 or 12.50"],
    [5.001, "Enter an amount in dollars, for example 10 or 12.50"],
    ["1e2", "Enter an amount in dollars, for example 10 or 12.50"],
    [1e21, "Enter an amount in dollars, for example 10 or 12.50"],
    ["", "Enter an amount in dollars, for example 10 or 12.50"],
    ["ten", "Enter an amount in dollars, for example 10 or 12.50"],
    ["0x10", "Enter an amount in dollars, for example 10 or 12.50"],
    ["10,50", "Enter an amount in dollars, for example 10 or 12.50"],
    ["NaN", "Enter an amount in dollars, for example 10 or 12.50"],
    ["Infinity", "Enter an amount in dollars, for example 10 or 12.50"],
    ["€10", "Enter an amount in dollars, for example 10 or 12.50"],
    ["10 EUR", "Enter an amount in dollars, for example 10 or 12.50"],
    ["-10", "Enter an amount in dollars, for example 10 or 12.50"],
    [10.005, "Enter an amount in dollars, for example 10 or 12.50"],
    [0.1 + 0.2, "Enter an amount in dollars, for example 10 or 12.50"],
  ])("%j dollars is refused: %s", async (amount, message) => {
    const caller = await service.signUp();
    const { status, body } = await caller.post("top-up", { amount });
    const code = message.startsWith("Enter an amount") ? "validation_failed" : "amount_invalid";
    expect([status, body.code, body.message]).toEqual([422, code, message]);
    expect(stripe.requests).toBe(0);
  });

  test.each([{}, { amount: null }, { amount: [5] }, { amount: { value: 5 } }, { amount: true }, { amount: 10, currency: "eur" }])(
    "the body %j is refused",
    async (body) => {
      const caller = await service.signUp();
      expect((await caller.post("top-up", body)).status).toBe(422);
    },
  );

  test("Stripe gets the amount, the return URLs and the payment id, on both session and payment intent", async () => {
    const caller = await service.signUp();
    const { body } = await caller.post("top-up", { amount: "12.50" });
    const { params } = stripe.session(body.session_id);
    expect(Object.keys(params).filter((name) => name.includes("payment_method_types"))).toEqual([]);
    expect(params).toMatchObject({
      mode: "payment",
      "adaptive_pricing[enabled]": "true",
      client_reference_id: body.payment_id,
      "metadata[payment_id]": body.payment_id,
      "payment_intent_data[metadata][payment_id]": body.payment_id,
      "line_items[0][price_data][unit_amount]": "1250",
      "line_items[0][price_data][currency]": "usd",
      success_url: "https://farline.example/billing/success?session_id={CHECKOUT_SESSION_ID}",
      cancel_url: "https://farline.example/billing/cancel",
      expires_at: String(Math.floor(service.clock.now().getTime() / 1000) + 35 * 60),
    });
  });

  test("a repeat after an outage of the provider opens a checkout that is open long enough", async () => {
    const caller = await service.signUp();
    const key = { "idempotency-key": `late-${caller.id}` };
    stripe.failNext = 3;
    expect((await caller.post("top-up", { amount: 10 }, key)).status).toBe(503);
    service.clock.advance(60 * 60_000);
    await service.poll();
    const { status, body } = await caller.post("top-up", { amount: 10 }, key);
    expect(status).toBe(200);
    const end = Number(stripe.session(body.session_id).params["expires_at"]);
    expect(end - service.clock.now().getTime() / 1000).toBeGreaterThan(30 * 60);
    const again = await caller.post("top-up", { amount: 10 }, key);
    expect(again.body).toEqual(body);
    stripe.pay(body.session_id);
    expect((await caller.post("confirm", { session_id: body.session_id })).body).toMatchObject({ status: "paid" });
    expect(await caller.balance()).toBe("10.00");
  });

  test("the packages show their bonus, and one is popular", async () => {
    const caller = await service.signUp();
    const { packages } = packagesResponse.parse((await caller.get("packages")).body);
    expect(packages.map((one) => [one.amount, one.total_credits, one.bonus_percentage])).toEqual([
      [5, 5, 0],
      [10, 10, 0],
      [20, 21, 5],
      [50, 55, 10],
    ]);
    expect(packages.filter((one) => one.is_popular).map((one) => one.amount)).toEqual([20]);
  });

  test("a package costs its price, and only those on sale can be bought", async () => {
    const caller = await service.signUp();
    for (const packageId of ["20", 20]) {
      const { body } = await caller.post("purchase-package", { package_id: packageId });
      expect(stripe.session(body.session_id).amount_total).toBe(2_000);
    }
    expect((await caller.post("purchase-package", { package_id: "7" })).status).toBe(404);
  });
});

describe("failures", () => {
  test("a lost response from Stripe leads to one session", async () => {
    const caller = await service.signUp();
    stripe.dropNext = 1;
    const { status, body } = await caller.post("top-up", { amount: 10 });
    expect(status).toBe(200);
    expect([...stripe.sessions.keys()]).toEqual([body.session_id]);
  });

  test("a request repeated with its Idempotency-Key, even concurrently, gets the same checkout", async () => {
    const caller = await service.signUp();
    const key = { "idempotency-key": "top-up-1" };
    await database.warmUp();
    const answers = await Promise.all(Array.from({ length: 5 }, () => caller.post("top-up", { amount: 10 }, key)));
    expect(new Set(answers.map((answer) => answer.body.checkout_url)).size).toBe(1);
    expect(stripe.sessions.size).toBe(1);
    expect((await caller.post("top-up", { amount: 20 }, key)).status).toBe(409);
    const other = await service.signUp();
    expect((await other.post("top-up", { amount: 20 }, key)).status).toBe(200);
  });

  test.each(["", "a b", "ü", "x".repeat(256)])("the Idempotency-Key %j is refused", async (key) => {
    const caller = await service.signUp();
    expect((await caller.post("top-up", { amount: 10 }, { "idempotency-key": key })).status).toBe(400);
  });

  test("an error from Stripe is reported, and a retry after its recovery succeeds", async () => {
    const caller = await service.signUp();
    const key = { "idempotency-key": "top-up-1" };
    stripe.failNext = 3;
    const { status, body } = await caller.post("top-up", { amount: 10 }, key);
    expect([status, body.code, body.message]).toEqual([503, "payment_provider_down", "Failed to create checkout session"]);
    expect((await caller.post("top-up", { amount: 10 }, key)).status).toBe(200);
  });

  test("an unreachable Stripe is reported", async () => {
    const caller = await service.signUp();
    await stripe.close();
    const { status, body } = await caller.post("top-up", { amount: 10 });
    expect([status, body.code, body.message]).toEqual([503, "payment_provider_down", "Failed to create checkout session"]);
    expect(await caller.balance()).toBe("0.00");
  });
});

describe("a payment", () => {
  test("requires a session", async () => {
    for (const path of ["top-up", "purchase-package", "confirm", "test-credit"]) {
      const payload = { amount: 10, package_id: "20", session_id: "cs_1" };
      expect((await service.app.inject({ method: "POST", url: `/api/billing/${path}`, payload })).statusCode).toBe(401);
    }
    for (const path of ["balance", "transactions", "packages"])
      expect((await service.app.inject({ url: `/api/billing/${path}` })).statusCode).toBe(401);
  });

  test("is refused for frozen accounts", async () => {
    const caller = await service.signUp({ status: "frozen" });
    const { status, body } = await caller.post("top-up", { amount: 10 });
    expect([status, body.code]).toEqual([403, "account_frozen"]);
  });

  test("is limited to five checkouts an hour and ten a day, even concurrently", async () => {
    const limited = await billingService(
      database.handle,
      { apiBase: stripe.url, webhookSecret: stripe.webhookSecret },
      { limitsScale: 1 },
    );
    try {
      const caller = await limited.signUp();
      await database.warmUp();
      const burst = await Promise.all(Array.from({ length: 8 }, () => caller.post("top-up", { amount: 10 })));
      expect(burst.filter((answer) => answer.status === 200)).toHaveLength(5);
      expect(burst.filter((answer) => answer.status === 429)).toHaveLength(3);
      expect(burst.find((answer) => answer.status === 429)?.headers["retry-after"]).toBe("3600");
      limited.clock.advance(61 * 60 * 1000);
      for (let index = 0; index < 5; index++) expect((await caller.post("top-up", { amount: 10 })).status).toBe(200);
      limited.clock.advance(61 * 60 * 1000);
      expect((await caller.post("top-up", { amount: 10 })).status).toBe(429);
      limited.clock.advance(22 * 60 * 60 * 1000);
      expect((await caller.post("top-up", { amount: 10 })).status).toBe(200);
    } finally {
      await limited.close();
    }
  });
});

describe("test credit", () => {
  test("is added at once and shown as test credit", async () => {
    const caller = await service.signUp();
    expect((await caller.post("test-credit", { amount: 25.5 })).body).toEqual({ new_balance: "25.50" });
    const { body } = await caller.get("transactions");
    expect(body.transactions.data).toMatchObject([
      { type: "credit", kind: "test_credit", amount: "25.50", balance_after: "25.50" },
    ]);
  });

  test.each([0, 100.01, "-1", "x"])("%j dollars are refused", async (amount) => {
    const caller = await service.signUp();
    expect((await caller.post("test-credit", { amount })).body.code).toMatch(/^(amount_invalid|validation_failed)$/);
  });

  test("is refused in live mode and has a daily cap in sandbox mode", async () => {
    const stripeAddress = { apiBase: stripe.url, webhookSecret: stripe.webhookSecret };
    const live = await billingService(database.handle, stripeAddress, { mode: "live" });
    const limited = await billingService(database.handle, stripeAddress, { limitsScale: 1 });
    try {
      const { status, body } = await (await live.signUp()).post("test-credit", { amount: 10 });
      expect([status, body.code]).toEqual([403, "sandbox_only"]);
      const caller = await limited.signUp();
      await database.warmUp();
      const tries = await Promise.all(Array.from({ length: 12 }, () => caller.post("test-credit", { amount: 100 })));
      expect(tries.filter((answer) => answer.status === 200)).toHaveLength(10);
      expect(await caller.balance()).toBe("1000.00");
    } finally {
      await live.close();
      await limited.close();
    }
  });
});
