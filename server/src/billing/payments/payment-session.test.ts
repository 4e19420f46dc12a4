import { sql } from "kysely";
import { randomUUID } from "node:crypto";
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
  database = await testDatabase();
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

async function balanceOf(): Promise<number> {
  return Number((await ledger.balance(database.handle.db, caller.id)).balanceMicros) / 1e6;
}

async function read(column: "session_id" | "status", paymentId: string): Promise<string | null> {
  const { rows } = await sql<any>`select ${sql.raw(column)} as value from payment where id = ${paymentId}`.execute(
    database.handle.db,
  );
  return rows[0].value;
}

async function settledAt(paymentId: string): Promise<Date | null> {
  const { rows } = await sql<any>`select settled_at from payment where id = ${paymentId}`.execute(database.handle.db);
  return rows[0].settled_at;
}

describe("a payment check at the provider", () => {
  const topUp = async () => {
    const { body } = await caller.post("top-up", { amount: 10 });
    return { paymentId: body.payment_id as string, sessionId: body.session_id as string };
  };

  test("settles a payment once and reads only the session unless something was refunded", async () => {
    const { paymentId, sessionId } = await topUp();
    await convergePayment(service.ctx, paymentId);
    expect(await settledAt(paymentId)).toBeNull();
    stripe.pay(sessionId);
    await convergePayment(service.ctx, paymentId);
    const settled = service.clock.now();
    service.clock.advance(60_000);
    const before = stripe.requests;
    await convergePayment(service.ctx, paymentId);
    expect([await settledAt(paymentId), stripe.requests - before]).toEqual([settled, 1]);
  });

  test("is not made for an unknown payment or one without a session", async () => {
    await expect(convergePayment(service.ctx, randomUUID())).rejects.toThrow(/There is no payment/);
    const { paymentId } = await topUp();
    await sql`update payment set session_id = null, status = 'created' where id = ${paymentId}`.execute(database.handle.db);
    const before = stripe.requests;
    expect(await convergePayment(service.ctx, paymentId)).toMatchObject({ status: "created" });
    expect(stripe.requests).toBe(before);
  });

  test("gives up if the payment's session keeps changing", async () => {
    const { paymentId, sessionId } = await topUp();
    let checks = 0;
    stripe.beforeAnswer = async () => {
      const other = `cs_other_${(checks += 1)}`;
      stripe.sessions.set(other, { ...stripe.session(sessionId), id: other });
      await sql`update payment set session_id = ${other} where id = ${paymentId}`.execute(database.handle.db);
    };
    await expect(convergePayment(service.ctx, paymentId)).rejects.toThrow(/keeps changing/);
    expect(checks).toBe(5);
  });
});

describe("a payment without a stored session", () => {
  async function withoutSession(): Promise<{ paymentId: string; sessionId: string }> {
    stripe.dropNext = 3;
    expect((await caller.post("top-up", { amount: 10 })).status).toBe(503);
    const [sessionId = ""] = [...stripe.sessions.keys()];
    return { paymentId: stripe.session(sessionId).metadata["payment_id"] ?? "", sessionId };
  }

  test("does not adopt another payment's session", async () => {
    const lost = await withoutSession();
    const { body: other } = await caller.post("top-up", { amount: 20 });
    stripe.pay(other.session_id);
    await convergePayment(service.ctx, lost.paymentId, { sessionId: other.session_id });
    expect([await read("session_id", lost.paymentId), await read("status", lost.paymentId), await balanceOf()]).toEqual([
      null,
      "created",
      0,
    ]);
    stripe.pay(lost.sessionId);
    await convergePayment(service.ctx, lost.paymentId, { sessionId: lost.sessionId });
    expect([await read("session_id", lost.paymentId), await balanceOf()]).toEqual([lost.sessionId, 10]);
  });

  test("keeps a session that was stored while another one was being checked", async () => {
    const { paymentId, sessionId } = await withoutSession();
    const session = stripe.session(sessionId);
    stripe.sessions.set("cs_given", { ...session, id: "cs_given", intent: { ...session.intent, id: "pi_given" } });
    stripe.pay(sessionId);
    stripe.beforeAnswer = async () => {
      stripe.beforeAnswer = async () => {};
      await sql`update payment set session_id = 'cs_given', status = 'open' where id = ${paymentId}`.execute(database.handle.db);
    };
    await convergePayment(service.ctx, paymentId, { sessionId });
    expect([await read("session_id", paymentId), await read("status", paymentId), await balanceOf()]).toEqual([
      "cs_given",
      "open",
      0,
    ]);
  });
});
