import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  AutoTopUpWorld,
  ASKS_ALWAYS,
  ASKS_ONCE,
  choice,
  PAYS,
  SAVES_THEN_FAILS,
} from "../../../test/worlds/auto-top-up-world.ts";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";
import { insertPastCalls } from "../../../test/past-calls.ts";
import { ledger } from "../../ledger/ledger.ts";
import { reconcilePayments } from "../billing.ts";
import { convergePayment } from "../payments/converge-payment.ts";
import { customersToWatch, switchOn, type WatchMark } from "../cards/auto-top-up.store.ts";

/** Longer than a charge is retried. Tests reset the clock afterwards, because events with a large clock skew are refused. */
const LONG_MS = 11 * 60_000;

let world: AutoTopUpWorld;
beforeAll(async () => {
  world = await AutoTopUpWorld.start();
});
afterEach(() => world.calm());
afterAll(() => world.close());

/** A connected call that has used this much. @param call.payerId null if the caller pays */
async function insertRunningCall(call: { callerId: string; payerId: string | null; usedMicros: bigint }): Promise<void> {
  const { db } = world.database.handle;
  const createdAt = new Date(world.service.clock.now().getTime() - 60 * 60_000);
  const [id] = await insertPastCalls(db, [{ customerId: call.callerId, createdAt, chargeMicros: call.usedMicros }]);
  await sql`update call set payer_id = ${call.payerId}, status = 'in-progress', ended_at = null, end_reason = null, charge_micros = 0, next_check_at = now()
     where id = ${id}`.execute(db);
}

describe("an automatic top-up", () => {
  test.each([PAYS, ASKS_ONCE])("charges %s once the credit falls below the threshold and mails a receipt", async (number) => {
    const caller = await world.withCard(number);
    await world.spend(caller, 1);
    await world.service.runJob("watch-credit");
    expect(await world.booked(caller)).toBe(5);
    await world.spend(caller, 0.01);
    await world.service.runJob("watch-credit");
    expect(await world.booked(caller)).toBe(24.99);
    await world.service.runJob("watch-credit");
    expect(await world.charges(caller)).toEqual([{ status: "paid", failure_code: null }]);
    expect((await world.view(caller)).last).toMatchObject({ amount: "20.00", status: "paid", reason: null });
    await world.service.runJob("issue-receipts");
    expect(await world.mails(caller)).toEqual([{ template: "receipt", kind: "auto_top_up" }]);
    const { body } = await caller.get("transactions");
    expect(body.transactions.data[0]).toMatchObject({ kind: "top_up", description: "Automatic top-up by card", amount: "20.00" });
  });

  test("starts as soon as it is switched on if the credit is already low", async () => {
    const caller = await world.service.signUp();
    const cardId = await world.save(caller, PAYS);
    const { body } = await caller.send("PUT", "auto-top-up", choice(cardId));
    expect(body.state).toEqual({ kind: "charging" });
    await expect.poll(() => world.booked(caller)).toBe(20);
  });

  test("is not switched on by a request whose session ended meanwhile", async () => {
    const caller = await world.withCard(PAYS);
    const { settings } = await world.view(caller);
    await caller.send("PUT", "auto-top-up", { on: false });
    await sql`delete from session where customer_id = ${caller.id}`.execute(world.database.handle.db);
    expect((await caller.send("PUT", "auto-top-up", choice(settings.card_id ?? ""))).status).toBe(401);
    expect((await world.view(caller)).settings.on).toBe(false);
  });

  test("charges once when many calls end in parallel", async () => {
    const caller = await world.withCard(PAYS);
    await world.spend(caller, 5);
    // Several waves, so that some run while the charge is placed and some while it is booked.
    for (let wave = 1; wave <= 4; wave++) {
      await Promise.all(Array.from({ length: 12 }, () => world.service.runJob("watch-credit")));
      expect(await world.charges(caller)).toHaveLength(wave);
      expect(await world.chargedAtProvider(caller)).toBe(2_000 * wave);
      expect(await world.booked(caller)).toBe(21);
      await world.spend(caller, 20);
    }
  });

  test("whose response was lost is completed with the same charge", async () => {
    const caller = await world.withCard(PAYS);
    await world.spend(caller, 5);
    await world.chaos({ dropAnswers: 100, lose: true });
    await world.service.runJob("watch-credit");
    expect(await world.charges(caller)).toMatchObject([{ status: "created" }]);
    expect((await world.view(caller)).state).toEqual({ kind: "charging" });
    await world.chaos({ dropAnswers: 0, lose: true });
    await world.service.runJob("watch-credit");
    world.service.clock.advance(31_000);
    await world.service.poll();
    expect(await world.booked(caller)).toBe(21);
    expect(await world.chargedAtProvider(caller)).toBe(2_000);
    expect(await world.charges(caller)).toEqual([{ status: "paid", failure_code: null }]);
  });

  test("whose response was lost too long ago is found in the provider's list instead of retried", async () => {
    const caller = await world.withCard(PAYS);
    await world.spend(caller, 5);
    await world.chaos({ dropAnswers: 100, lose: true });
    await world.service.runJob("watch-credit");
    await world.chaos({ dropAnswers: 0, lose: true });
    world.service.clock.advance(LONG_MS);
    await world.service.poll();
    world.service.clock.advance(-LONG_MS);
    expect(await world.booked(caller)).toBe(21);
    expect(await world.chargedAtProvider(caller)).toBe(2_000);
  });

  test("that never reached the provider expires, and the next one succeeds", async () => {
    const caller = await world.withCard(PAYS);
    await world.spend(caller, 5);
    await world.chaos({ serverErrors: 100 });
    await world.service.runJob("watch-credit");
    await world.chaos({ serverErrors: 0 });
    world.service.clock.advance(LONG_MS);
    await world.service.poll();
    world.service.clock.advance(-LONG_MS);
    expect(await world.charges(caller)).toMatchObject([{ status: "expired" }]);
    expect(await world.booked(caller)).toBe(1);
    await world.service.runJob("watch-credit");
    expect(await world.booked(caller)).toBe(21);
    expect(await world.chargedAtProvider(caller)).toBe(2_000);
  });

  const closing = (caller: BillingClient, change: string) =>
    world.database.handle.pool.query(`update customer set ${change} where id = $1`, [caller.id]);

  test.each<[string, (caller: BillingClient) => Promise<unknown>]>([
    ["was switched off", (caller) => caller.send("PUT", "auto-top-up", { on: false })],
    ["was locked", (caller) => closing(caller, "status = 'frozen'")],
    ["is closing", (caller) => closing(caller, "closes_at = now() + interval '7 days'")],
  ])("that never reached the provider is not tried again once it %s", async (_, end) => {
    const caller = await world.withCard(PAYS);
    await world.spend(caller, 5);
    await world.chaos({ serverErrors: 100 });
    await world.service.runJob("watch-credit");
    await world.chaos({ serverErrors: 0 });
    await end(caller);
    world.service.clock.advance(31_000);
    await world.service.poll();
    expect(await world.chargedAtProvider(caller)).toBe(0);
    world.service.clock.advance(LONG_MS);
    await world.service.poll();
    world.service.clock.advance(-LONG_MS - 31_000);
    expect(await world.charges(caller)).toMatchObject([{ status: "expired" }]);
    expect(await world.booked(caller)).toBe(1);
  });

  test("stops after the second decline in a row, with a mail for each, until it is switched on again", async () => {
    const caller = await world.withCard(SAVES_THEN_FAILS);
    await world.spend(caller, 5);
    await world.service.runJob("watch-credit");
    expect(await world.charges(caller)).toEqual([{ status: "failed", failure_code: "generic_decline" }]);
    // A repeated event does not count as another failure.
    const { rows: failed } = await sql<any>`select id from payment where customer_id = ${caller.id} and kind = 'auto'`.execute(
      world.database.handle.db,
    );
    expect((await caller.post("confirm", { payment_id: failed[0].id })).body).toMatchObject({ status: "failed" });
    expect((await world.view(caller)).state).toEqual({ kind: "ready" });
    await world.service.runJob("watch-credit");
    expect(await world.view(caller)).toMatchObject({
      state: { kind: "stopped", reason: "declined" },
      last: { status: "failed", reason: "declined" },
    });
    await world.service.runJob("watch-credit");
    expect(await world.charges(caller)).toHaveLength(2);
    expect(await world.mails(caller)).toEqual([
      { template: "payment_failed", event: "declined" },
      { template: "payment_failed", event: "stopped" },
    ]);
    expect(await world.booked(caller)).toBe(1);
    // Each decline counts towards the card-testing limits.
    const countFailures = async () => {
      const { rows } = await sql<any>`select count(*)::int as n from payment_failure where customer_id = ${caller.id}`.execute(
        world.database.handle.db,
      );
      return rows[0].n;
    };
    await expect.poll(countFailures).toBe(2);
    const good = await world.save(caller, PAYS);
    await caller.send("PUT", "auto-top-up", choice(good));
    await expect.poll(() => world.booked(caller)).toBe(21);
  });

  test("stops immediately if the bank requires authentication", async () => {
    const caller = await world.withCard(ASKS_ALWAYS);
    await world.spend(caller, 5);
    await world.service.runJob("watch-credit");
    await world.service.runJob("watch-credit");
    expect(await world.view(caller)).toMatchObject({ state: { kind: "stopped", reason: "authentication_required" } });
    expect(await world.charges(caller)).toEqual([{ status: "failed", failure_code: "authentication_required" }]);
    expect(await world.mails(caller)).toEqual([{ template: "payment_failed", event: "authentication_required" }]);
  });

  test("is not charged while the account is frozen", async () => {
    const caller = await world.withCard(PAYS);
    await world.spend(caller, 5);
    await sql`update customer set status = 'frozen' where id = ${caller.id}`.execute(world.database.handle.db);
    await world.service.runJob("watch-credit");
    expect((await world.view(caller)).state).toEqual({ kind: "waiting", reason: "frozen", until: null });
    expect(await world.charges(caller)).toEqual([]);
  });

  test("that expired before its money arrived is still credited", async () => {
    const caller = await world.withCard(PAYS);
    await world.spend(caller, 5);
    await world.service.runJob("watch-credit");
    const { db } = world.database.handle;
    const { rows } =
      await sql<any>`update payment set status = 'failed', settled_at = ${new Date(0)} where customer_id = ${caller.id} and kind = 'auto' returning id`.execute(
        db,
      );
    await sql`update auto_top_up set failures = 1 where customer_id = ${caller.id}`.execute(db);
    const payment = await convergePayment(world.service.ctx, rows[0].id);
    expect(payment).toMatchObject({ status: "paid", settled_at: world.service.clock.now() });
    const settings = await sql<any>`select failures from auto_top_up where customer_id = ${caller.id}`.execute(db);
    expect(settings.rows).toEqual([{ failures: 0 }]);
    expect(await world.booked(caller)).toBe(21);
  });

  test("is suspended while a mismatched charge awaits review", async () => {
    const caller = await world.withCard(PAYS);
    const { rows } =
      await sql<any>`insert into payment (id, customer_id, kind, charge_micros, saved_card_id, status, expires_at, created_at, settled_at)
       select gen_random_uuid(), customer_id, 'auto', amount_micros, card_id, 'review', at, at, at
       from auto_top_up, (select ${world.service.clock.now()}::timestamptz - interval '3 days' as at) past where customer_id = ${caller.id} returning id`.execute(
        world.database.handle.db,
      );
    await world.spend(caller, 5);
    await world.service.runJob("watch-credit");
    expect(await world.charges(caller)).toMatchObject([{ status: "review" }]);
    expect((await world.view(caller)).state).toEqual({ kind: "charging" });
    await sql`update payment set status = 'failed' where id = ${rows[0].id}`.execute(world.database.handle.db);
    await world.service.runJob("watch-credit");
    expect(await world.booked(caller)).toBe(21);
  });

  test("counts what a family member's running call has used of the owner's credit, and not of the member's own", async () => {
    const [owner, member] = [await world.withCard(PAYS), await world.withCard(PAYS)];
    await insertRunningCall({ callerId: member.id, payerId: owner.id, usedMicros: 2_000_000n });
    await world.service.runJob("watch-credit");
    expect([await world.booked(owner), await world.booked(member)]).toEqual([26, 6]);
  });

  test("counts all running calls of the customer", async () => {
    const caller = await world.withCard(PAYS);
    await insertRunningCall({ callerId: caller.id, payerId: null, usedMicros: 600_000n });
    await world.service.runJob("watch-credit");
    expect(await world.booked(caller)).toBe(6);
    await insertRunningCall({ callerId: caller.id, payerId: null, usedMicros: 600_000n });
    await world.service.runJob("watch-credit");
    expect(await world.booked(caller)).toBe(26);
  });

  test("does not charge the card again for credit that was withdrawn to it", async () => {
    const caller = await world.withCard(PAYS);
    await world.spend(caller, 5);
    await world.service.runJob("watch-credit");
    expect((await caller.post("withdrawals", { amount: "20" })).status).toBe(200);
    await world.service.runJob("watch-credit");
    expect(await world.booked(caller)).toBe(1);
    expect((await world.view(caller)).state).toEqual({ kind: "waiting", reason: "withdrawn", until: null });
    await world.spend(caller, 0.5);
    await world.service.runJob("watch-credit");
    expect(await world.booked(caller)).toBe(20.5);
  });

  test("is refundable and reconciled with the provider like any other payment", async () => {
    const caller = await world.withCard(PAYS);
    await world.spend(caller, 5);
    await world.service.runJob("watch-credit");
    expect((await caller.post("withdrawals", { amount: "15" })).status).toBe(200);
    expect(await world.booked(caller)).toBe(6);
    const now = world.service.clock.now().getTime();
    const span = { from: new Date(now - DAY_MS), to: new Date(now + DAY_MS) };
    expect(await reconcilePayments(world.service.ctx, span)).toMatchObject({ differences: 0 });
  });
});

test("customers in a call are checked first, and frozen or indebted customers are skipped on every page", async () => {
  const { db } = world.database.handle;
  const people: BillingClient[] = [];
  for (let n = 0; n < 6; n++) {
    const caller = await world.service.signUp();
    people.push(caller);
    await sql`insert into saved_card (id, customer_id, payment_method_id, fingerprint, brand, last4, exp_month, exp_year, created_at)
       values (${caller.id}::uuid, ${caller.id}::uuid, ${caller.id}::text, null, 'visa', '4242', 12, 2034, now())`.execute(db);
    await switchOn(db, {
      customerId: caller.id,
      cardId: caller.id,
      thresholdMicros: 5_000_000n,
      amountMicros: 20_000_000n,
      now: new Date(),
    });
  }
  const [frozen, owes, low, onPhone, ...others] = people.map(({ id }) => id);
  if (frozen === undefined || owes === undefined || low === undefined || onPhone === undefined) throw new Error("nobody");
  await sql`update customer set status = 'frozen' where id = ${frozen}`.execute(db);
  await ledger.reverse(db, {
    key: `owed:${owes}`,
    customerId: owes,
    referenceId: owes,
    kind: "refund",
    amountMicros: 1n,
    description: "Refund",
  });
  await insertRunningCall({ callerId: onPhone, payerId: null, usedMicros: 60_000n });
  const seen: string[] = [];
  let after: WatchMark | null = null;
  do {
    const page: WatchMark[] = await customersToWatch(db, { after, limit: 2 });
    seen.push(...page.map(({ id }) => id));
    after = page.at(-1) ?? null;
  } while (after !== null);
  const ours = seen.filter((id) => people.some((one) => one.id === id));
  expect(ours[0]).toBe(onPhone);
  expect(ours.slice(1)).toEqual([low, ...others].toSorted());
});
