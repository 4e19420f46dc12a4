import { performance } from "node:perf_hooks";
import { tmpdir } from "node:os";
import { PATIENCE } from "@farline/domain/test/patience.ts";
import pino from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { FaultProxy } from "../../../test/fakes/fault-proxy.ts";
import { ScriptedStripe } from "../../../test/fakes/scripted-stripe.ts";
import { ledger, verifyLedger } from "../../ledger/ledger.ts";
import { readConfig } from "../../platform/settings/config.ts";
import { testDatabase, type TestDatabase } from "../../../test/test-database.ts";
import { startService, type Service } from "../../service.ts";

/** Guarantees about money when the network, the database or the provider fails: the whole service behind proxies. */

/** In a quarter of this on an idle machine, and never without the bound of the service. */
const REFUSED_WITHIN_MS = 8_000;
const NUMBER = "+442079460000";

let database: TestDatabase;
let toDatabase: FaultProxy;
let stripe: ScriptedStripe;
let toStripe: FaultProxy;
let service: Service;
let caller: Awaited<ReturnType<typeof signUp>>;

beforeAll(async () => {
  database = await testDatabase();
  toDatabase = await FaultProxy.start(database.url);
  stripe = await ScriptedStripe.start();
  toStripe = await FaultProxy.start(stripe.url);
  service = await startService(
    readConfig({
      PORT: "0",
      PUBLIC_URL: "http://localhost:3000",
      DATABASE_URL: toDatabase.through(database.url),
      SANDBOX_URL: stripe.url,
      STRIPE_API_BASE: toStripe.through(stripe.url),
      STRIPE_SECRET_KEY: "sk_test_1",
      STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
      TELNYX_API_BASE: stripe.url,
      TELNYX_API_KEY: "KEY1",
      TELNYX_PUBLIC_KEY: Buffer.alloc(32).toString("base64"),
      TELNYX_CONNECTION_ID: "1",
      LIMITS_SCALE: "0",
    }),
    { log: pino({ level: "silent" }), webFolder: tmpdir() },
  );
});
afterAll(async () => {
  await service.close();
  await toStripe.close();
  await toDatabase.close();
  await stripe.close();
  expect(await verifyLedger(database.handle.db)).toEqual([]);
  await database.close();
});
beforeEach(async () => {
  caller = await signUp();
});
afterEach(async () => {
  await toDatabase.setFault("none");
  await toStripe.setFault("none");
  toDatabase.latencyMs = 0;
  await expect.poll(async () => (await caller.get("/api/ready")).status).toBe(200);
});

interface Answer {
  status: number;
  body: Record<string, any>;
  tookMs: number;
}

async function attempt(path: string, init: RequestInit): Promise<Answer> {
  const began = performance.now();
  const answer = await fetch(service.url + path, init);
  const body = (await answer.json()) as Record<string, any>;
  return { status: answer.status, body, tookMs: performance.now() - began };
}

/** The first answer from a service that has its database: after a fault, or while the disk is slow, it refuses requests. */
function send(path: string, init: RequestInit): Promise<Answer> {
  return vi.waitFor(async () => {
    const answer = await attempt(path, init);
    expect(answer.body["code"]).not.toBe("unavailable");
    return answer;
  }, PATIENCE);
}

/** Repeats a request until the proxy loses the response to its commit. */
async function sendUntilLost(lost: Promise<void>, request: () => Promise<Answer>): Promise<void> {
  let isLost = false;
  void lost.then(() => (isLost = true));
  await vi.waitFor(async () => {
    expect((await request()).status).toBe(503);
    expect(isLost).toBe(true);
  }, PATIENCE);
}

let people = 0;
async function signUp() {
  people += 1;
  const person = {
    name: "Ada Lovelace",
    email: `ada${people}@example.com`,
    password: "correct horse battery",
    password_confirmation: "correct horse battery",
  };
  const headers = { "content-type": "application/json" };
  const { body } = await send("/api/register", { method: "POST", headers, body: JSON.stringify(person) });
  const signedIn = { ...headers, authorization: `Bearer ${body["token"]}` };
  return {
    id: body["user"].id as string,
    get: (path: string) => send(path, { headers: signedIn }),
    post: (path: string, payload: object, extraHeaders: Record<string, string> = {}, by = send) =>
      by(path, { method: "POST", headers: { ...signedIn, ...extraHeaders }, body: JSON.stringify(payload) }),
  };
}

function hear(type: string, object: object, by = send): Promise<Answer> {
  const { payload, headers } = stripe.event(type, object);
  return by("/api/webhooks/stripe", { method: "POST", headers, body: payload });
}

/** Balance in micro-dollars, read from the ledger directly. */
async function booked(): Promise<{ balance: number; debt: number }> {
  const { balanceMicros, debtMicros } = await ledger.balance(database.handle.db, caller.id);
  return { balance: Number(balanceMicros) / 1e6, debt: Number(debtMicros) / 1e6 };
}

async function count(sql: string): Promise<number> {
  const { rows } = await database.handle.pool.query(`select count(*)::int as count ${sql}`, [caller.id]);
  return rows[0].count;
}

const checkout = (amount: number, extraHeaders?: Record<string, string>, by = send) =>
  caller.post("/api/billing/top-up", { amount }, extraHeaders, by);

describe("F5: while the database does not respond", () => {
  test.each(["blackhole", "refuse", "reset"] as const)(
    "(%s) new calls and top-ups are refused in time without a trace, webhooks are redelivered, and everything recovers",
    async (fault) => {
      const { body } = await checkout(10);
      stripe.pay(body["session_id"]);
      await toDatabase.setFault(fault);
      const [call, topUp, webhook] = await Promise.all([
        caller.post("/api/calls/initiate", { destination_number: NUMBER, destination_country: "GB" }, {}, attempt),
        checkout(20, {}, attempt),
        hear("checkout.session.completed", { id: body["session_id"] }, attempt),
      ]);
      for (const refused of [call, topUp, webhook]) {
        expect([refused.status, refused.body["code"]]).toEqual([503, "unavailable"]);
        expect(refused.tookMs).toBeLessThan(REFUSED_WITHIN_MS);
      }
      // Prices stay, for everybody.
      for (const [method, path, wanted] of [
        ["GET", "/api/rates/countries", undefined],
        ["POST", "/api/rates/lookup-number", { phone_number: NUMBER, country_code: "GB" }],
      ] as const) {
        const headers = { "content-type": "application/json", cookie: `__Host-browser=${"a".repeat(43)}` };
        const answer = await attempt(path, { method, headers, body: wanted === undefined ? null : JSON.stringify(wanted) });
        expect([path, answer.status]).toEqual([path, 200]);
      }
      await toDatabase.setFault("none");
      expect((await hear("checkout.session.completed", { id: body["session_id"] })).status).toBe(200);
      expect(await booked()).toEqual({ balance: 10, debt: 0 });
      // The first checkout may have been attempted twice.
      expect(await count("from payment where customer_id = $1 and status = 'paid'")).toBe(1);
      expect(await count("from payment where customer_id = $1 and charge_micros = 20000000")).toBe(0);
      expect(await count("from hold where customer_id = $1")).toBe(0);
    },
  );

  test("(too slow) requests are also refused in time", async () => {
    toDatabase.latencyMs = 2 * REFUSED_WITHIN_MS;
    const refused = await checkout(10, {}, attempt);
    expect(refused.status).toBe(503);
    expect(refused.tookMs).toBeLessThan(REFUSED_WITHIN_MS);
  });
});

describe("F6: a commit whose acknowledgement is lost", () => {
  test("of a top-up leads to one payment and one checkout if the request is repeated", async () => {
    const lost = toDatabase.loseAnswerTo("commit", 'insert into "payment"');
    const key = { "idempotency-key": `f6-${caller.id}` };
    await sendUntilLost(lost, () => checkout(10, key, attempt));
    const again = await checkout(10, key);
    expect(again.status).toBe(200);
    expect(await count("from payment where customer_id = $1")).toBe(1);
    expect(stripe.session(again.body["session_id"]).metadata["payment_id"]).toBe(again.body["payment_id"]);
  });

  test("of a credit leads to one credit if the webhook is redelivered", async () => {
    const { body } = await checkout(10);
    stripe.pay(body["session_id"]);
    const lost = toDatabase.loseAnswerTo("commit", "post_credit");
    await sendUntilLost(lost, () => hear("checkout.session.completed", { id: body["session_id"] }, attempt));
    expect((await hear("checkout.session.completed", { id: body["session_id"] })).status).toBe(200);
    expect(await booked()).toEqual({ balance: 10, debt: 0 });
    expect(await count("from ledger_transaction where customer_id = $1")).toBe(1);
  });

  test("of a withdrawal sends the money once if the request is repeated", async () => {
    const { body } = await checkout(10);
    stripe.pay(body["session_id"]);
    await hear("checkout.session.completed", { id: body["session_id"] });
    const lost = toDatabase.loseAnswerTo("commit", "withdraw_credit");
    const key = { "idempotency-key": `f6-withdrawal-${caller.id}` };
    await sendUntilLost(lost, () => caller.post("/api/billing/withdrawals", { amount: 4 }, key, attempt));
    expect((await caller.post("/api/billing/withdrawals", { amount: 4 }, key)).status).toBe(200);
    expect(stripe.session(body["session_id"]).refunds.map(({ amount }) => amount)).toEqual([400]);
    expect(await booked()).toEqual({ balance: 6, debt: 0 });
  });
});

test("F23: a webhook before the payer's return credits once, and the success page shows the credit", async () => {
  const { body } = await checkout(10);
  stripe.pay(body["session_id"]);
  await hear("checkout.session.completed", { id: body["session_id"] });
  const page = await caller.post("/api/billing/confirm", { session_id: body["session_id"] });
  expect(page.body).toMatchObject({ status: "paid", balance: "10.00" });
  expect(await booked()).toEqual({ balance: 10, debt: 0 });
});

test("F24: a payer who returns before or without a webhook is credited by the success page", async () => {
  const { body } = await checkout(10);
  stripe.pay(body["session_id"]);
  const page = await caller.post("/api/billing/confirm", { session_id: body["session_id"] });
  expect(page.body).toMatchObject({ status: "paid", balance: "10.00" });
  await hear("checkout.session.completed", { id: body["session_id"] });
  expect(await booked()).toEqual({ balance: 10, debt: 0 });
});

test("F26: a lost response from the provider leads to one session", async () => {
  const lost = toStripe.loseAnswerTo("checkout/sessions");
  const { status, body } = await checkout(10);
  await lost;
  expect(status).toBe(200);
  const mine = [...stripe.sessions.values()].filter(({ metadata }) => metadata["payment_id"] === body["payment_id"]);
  expect(mine.map(({ id }) => id)).toEqual([body["session_id"]]);
});

test("F26: a provider outage is reported, and repeating the request later creates one session", async () => {
  await toStripe.setFault("refuse");
  const key = { "idempotency-key": `f26-${caller.id}` };
  const away = await checkout(10, key);
  expect([away.status, away.body["code"], away.body["message"]]).toEqual([
    503,
    "payment_provider_down",
    "Failed to create checkout session",
  ]);
  await toStripe.setFault("none");
  await expect.poll(async () => (await checkout(10, key)).status).toBe(200);
  expect(await count("from payment where customer_id = $1")).toBe(1);
});

test("F27: a payment that does not match its order is never credited", async () => {
  const { body } = await checkout(10);
  stripe.pay(body["session_id"]);
  stripe.session(body["session_id"]).currency = "jpy";
  await hear("checkout.session.completed", { id: body["session_id"] });
  expect(await booked()).toEqual({ balance: 0, debt: 0 });
  expect(await count("from payment where customer_id = $1 and status = 'review'")).toBe(1);
});

test("F28: a dispute of spent credit leaves a zero balance and a debt, and stops calls and payments immediately", async () => {
  const { body } = await checkout(10);
  stripe.pay(body["session_id"]);
  await hear("checkout.session.completed", { id: body["session_id"] });
  const { db } = database.handle;
  await ledger.hold(db, { holdId: caller.id, customerId: caller.id, wantMicros: 7_000_000n, leastMicros: 1n });
  await ledger.postHold(db, { holdId: caller.id, chargeMicros: 7_000_000n, description: "Call" });
  await hear("charge.dispute.created", stripe.dispute(body["session_id"], "needs_response"));
  expect(await booked()).toEqual({ balance: 0, debt: 7 });
  const call = await caller.post("/api/calls/initiate", { destination_number: NUMBER, destination_country: "GB" });
  for (const refused of [call, await checkout(10), await caller.post("/api/billing/withdrawals", { amount: 1 })])
    expect([refused.status, refused.body["code"]]).toEqual([403, "account_frozen"]);
  expect((await caller.get("/api/billing/transactions")).status).toBe(200);
});

test("F29: a refund whose event arrives before its payment's is booked correctly", async () => {
  const { body } = await checkout(10);
  stripe.pay(body["session_id"]);
  stripe.refundTo(body["session_id"], 400);
  const { intent } = stripe.session(body["session_id"]);
  await hear("charge.refunded", { id: "ch_1", payment_intent: intent.id });
  await hear("checkout.session.completed", { id: body["session_id"] });
  expect(await booked()).toEqual({ balance: 6, debt: 0 });
});
