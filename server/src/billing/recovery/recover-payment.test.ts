import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AutoTopUpWorld, PAYS } from "../../../test/worlds/auto-top-up-world.ts";
import type { BillingClient, BillingService } from "../../../test/worlds/billing-service.ts";
import { newCustomer } from "../../../test/new-customer.ts";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import { orderMetadata } from "../record/provider-metadata.ts";
import { readPayment } from "../record/payment.store.ts";
import { latestReconciliation, reconcilePayments } from "../reconciliation/reconcile-payments.ts";

function reconcile({ ctx, clock }: BillingService) {
  const now = clock.now().getTime();
  return reconcilePayments(ctx, { from: new Date(now - DAY_MS), to: new Date(now + DAY_MS) });
}

describe("after a restore from a back-up without the payments", () => {
  let before: BillingWorld;
  let after: BillingWorld;
  /** Customers of both databases. */
  const callers: BillingClient[] = [];
  /** Registered after the back-up. */
  let newcomer: BillingClient;
  let unlucky: BillingClient;
  let first: { paymentId: string; sessionId: string };
  let openSession: string;
  beforeAll(async () => {
    before = await BillingWorld.start();
    for (let n = 0; n < 4; n++) callers.push(await before.service.signUp());
    const [payer, refunded, disputed, other] = callers as [BillingClient, BillingClient, BillingClient, BillingClient];
    [newcomer, unlucky] = [await before.service.signUp(), await before.service.signUp()];
    first = await before.paid(payer, { package_id: "50" });
    const { sessionId } = await before.paid(refunded, { amount: 20 });
    await refunded.post("withdrawals", { amount: 5 });
    before.stripe.refundTo(sessionId, 700);
    before.stripe.dispute((await before.paid(disputed, { amount: 10 })).sessionId, "needs_response");
    const elsewhere = await before.paid(other, { amount: 30 });
    before.stripe.session(elsewhere.sessionId).metadata["site"] = "https://elsewhere.example";
    await before.paid(newcomer, { amount: 40 });
    await before.paid(unlucky, { amount: 50 });
    openSession = (await payer.post("top-up", { amount: 60 })).body.session_id;
    after = await before.restored(callers);
    const stranger = await newCustomer(after.database.handle);
    const { db } = after.database.handle;
    await sql`update customer set email_key = ${`${unlucky.id}@example.com`} where id = ${stranger.id}`.execute(db);
  });
  afterAll(async () => {
    await after.close();
    await before.close();
  });

  const balanceOf = async (caller: BillingClient) => (await after.money(caller)).balance;

  test("everything comes back once that names a customer, and the rest is reported", async () => {
    expect(await reconcile(after.service)).toMatchObject({ charges: 6, repaired: 4, differences: 1 });
    expect(await reconcile(after.service)).toMatchObject({ charges: 6, repaired: 0, differences: 1 });
  });

  test("a payment has its bonus and its own id", async () => {
    const [payer = newcomer] = callers;
    expect(await after.money(payer)).toEqual(await before.money(payer));
    expect(await readPayment(after.database.handle.db, first.paymentId)).toMatchObject({
      kind: "package",
      package_id: "50",
      status: "paid",
      session_id: first.sessionId,
      card_last4: "4242",
    });
  });

  test("refunds and disputes come back with their payments", async () => {
    const [, refunded = newcomer, disputed = newcomer] = callers;
    expect(await balanceOf(refunded)).toBe(13);
    expect(await balanceOf(disputed)).toBe(0);
  });

  test("an account that did not exist yet comes back with its address and without a password", async () => {
    const { rows } = await sql`select email, password_hash from customer where id = ${newcomer.id}`.execute(
      after.database.handle.db,
    );
    expect(rows).toEqual([{ email: `${newcomer.id}@example.com`, password_hash: null }]);
    expect(await balanceOf(newcomer)).toBe(40);
  });

  test("a charge of an address that is taken now stays a difference; one of another installation is none", async () => {
    const found = (await latestReconciliation(after.database.handle.db))?.differences ?? [];
    expect(new Set(found.map(({ kind, provider_micros: micros }) => `${kind} ${micros}`))).toEqual(
      new Set(["unknown_charge 50000000"]),
    );
    expect(await balanceOf(callers[3] ?? newcomer)).toBe(0);
  });

  test("a checkout that is paid after the restore is credited by its event", async () => {
    const [payer = newcomer] = callers;
    const earlier = await balanceOf(payer);
    after.stripe.pay(openSession);
    const { id, intent, metadata } = after.stripe.session(openSession);
    const event = { id, payment_intent: intent.id, metadata };
    await after.hear("checkout.session.completed", event);
    await after.hear("checkout.session.completed", event);
    expect(await balanceOf(payer)).toBe(earlier + 60);
  });
});

test("a payment whose row does not name its checkout yet is credited", async () => {
  const world = await BillingWorld.start();
  const caller = await world.service.signUp();
  const { body } = await caller.post("top-up", { amount: 10 });
  world.stripe.pay(body.session_id);
  const { db } = world.database.handle;
  await sql`update payment set session_id = null, checkout_url = null, status = 'created'`.execute(db);
  expect(await reconcile(world.service)).toMatchObject({ charges: 1, repaired: 1, differences: 0 });
  expect(await world.money(caller)).toMatchObject({ balance: 10 });
  await world.close();
});

describe("a forgotten charge of a saved card", () => {
  let world: AutoTopUpWorld;
  beforeAll(async () => {
    world = await AutoTopUpWorld.start();
  });
  afterAll(() => world.close());

  test("comes back with its card and is never charged again", async () => {
    const caller = await world.withCard(PAYS);
    const balance = Number(await caller.balance());
    const { ctx } = world.service;
    const { db } = ctx.handle;
    const { rows } = await sql<{ payment_method_id: string; provider_customer_id: string }>`
      select payment_method_id, provider_customer_id from saved_card join stripe_customer using (customer_id)
      where customer_id = ${caller.id}`.execute(db);
    const [card] = rows;
    const order = {
      id: crypto.randomUUID(),
      customer_id: caller.id,
      kind: "auto" as const,
      package_id: null,
      charge_micros: 20_000_000n,
      bonus_micros: 0n,
      keeps_card: false,
      created_at: new Date(),
    };
    await ctx.stripe.paymentIntents.create({
      amount: 2_000,
      currency: "usd",
      customer: card?.provider_customer_id ?? "",
      payment_method: card?.payment_method_id ?? "",
      confirm: true,
      off_session: true,
      metadata: orderMetadata(ctx.config.publicUrl, order as Parameters<typeof orderMetadata>[1]),
    });
    await sql`delete from auto_top_up where customer_id = ${caller.id}`.execute(db);
    await sql`delete from card_setup where customer_id = ${caller.id}`.execute(db);
    await sql`delete from saved_card where customer_id = ${caller.id}`.execute(db);
    await sql`delete from stripe_customer where customer_id = ${caller.id}`.execute(db);
    expect(await reconcile(world.service)).toMatchObject({ differences: 0 });
    await world.service.runJob("poll-payments");
    expect(await readPayment(db, order.id)).toMatchObject({ kind: "auto", status: "paid", card_last4: "4242" });
    expect(Number(await caller.balance()) - balance).toBe(20);
    expect((await world.view(caller)).cards).toMatchObject([{ last4: "4242" }]);
  });
});
