import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BillingClient } from "../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../test/worlds/billing-world.ts";
import { openApprovals, type Approval } from "./operator.ts";
import { confirm, confirmProposed, operate } from "../../test/operate.ts";
import { asOperator } from "../../test/test-context.ts";

let world: BillingWorld;
let caller: BillingClient;
beforeEach(async () => {
  world = await BillingWorld.start();
  caller = await world.service.signUp();
});
afterEach(() => world.close());

const ctx = () => world.service.ctx;
const refund = (payment: string, more: { dollars?: number; operator?: string; force?: boolean } = {}) =>
  operate(asOperator(ctx(), more.operator ?? "grace"), "refund", {
    payment,
    amount: more.dollars === undefined ? undefined : BigInt(more.dollars * 1e6),
    force: more.force ?? false,
    reason: "Asked for by phone",
  });
const confirmAs = (name: string, id: string) => confirm(asOperator(ctx(), name), id);
/** Changes a stored proposal behind the service's back. */
const rewrite = (id: string, set: string) => world.database.handle.pool.query(`update approval set ${set} where id = $1`, [id]);

async function proposed(work: Promise<unknown>): Promise<string> {
  await expect(work).rejects.toMatchObject({
    code: "conflict",
    messageRef: { reason: "operator.second_operator" },
  });
  return (await openApprovals(ctx())).at(-1)?.id ?? "none";
}

async function operations() {
  const { rows } = await sql<any>`select operator, action, detail from operation order by happened_at, id`.execute(
    world.database.handle.db,
  );
  return rows;
}

describe("a refund above $100", () => {
  test("moves nothing until another operator confirms, and both are recorded", async () => {
    const { paymentId, sessionId } = await world.paid(caller, { amount: 150 });
    const id = await proposed(refund(paymentId));
    expect(await world.money(caller)).toMatchObject({ balance: 150 });
    expect(world.stripe.session(sessionId).refunds).toEqual([]);
    expect((await openApprovals(ctx()))[0]).toMatchObject({
      action: "refund",
      amount_micros: 150_000_000n,
      proposer: "grace",
    });

    await expect(confirmAs("grace", id)).rejects.toThrow(/Another operator must confirm/);
    await rewrite(id, `input = input || '{"amount": "149.00"}'`);
    await expect(confirmAs("ana", id)).rejects.toThrow(/no longer matches the current state/);
    await rewrite(id, "input = input - 'amount'");
    expect(await world.money(caller)).toMatchObject({ balance: 150 });

    expect((await confirmAs("ana", id)).status).toBe("succeeded");
    expect(await world.money(caller)).toMatchObject({ balance: 0 });
    await expect(refund(paymentId, { operator: "ana" })).rejects.toThrow(/\$0.00 of this payment is left/);
    const [first, second, ...more] = await operations();
    expect(first).toMatchObject({
      operator: "grace",
      action: "propose-refund",
      detail: { amount_micros: "150000000", approval: id },
    });
    expect(second).toMatchObject({ operator: "ana", action: "refund", detail: { proposed_by: "grace", approval: id } });
    expect(more).toEqual([]);
  });

  test("is confirmed once, even if two operators confirm at the same time", async () => {
    const { paymentId, sessionId } = await world.paid(caller, { amount: 300 });
    const id = await proposed(refund(paymentId, { dollars: 120 }));
    await world.database.warmUp();
    const tries = ["ana", "eve", "bob"].map((operator) => confirmAs(operator, id));
    const results = await Promise.allSettled(tries);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(world.stripe.session(sessionId).refunds.map(({ amount }) => amount)).toEqual([12_000]);
  });

  test("cannot be confirmed after a day or after its rejection", async () => {
    const { paymentId } = await world.paid(caller, { amount: 150 });
    await proposed(refund(paymentId));
    const [lateOne] = await openApprovals(ctx());
    const confirmLate = (seen: Approval) => confirmProposed(asOperator(ctx(), "ana"), seen);
    world.service.clock.advance(DAY_MS);
    await expect(confirmLate(lateOne!)).rejects.toMatchObject({ code: "not_found" });
    const unwanted = await proposed(refund(paymentId));
    const [unwantedOne] = await openApprovals(ctx());
    await operate(asOperator(ctx(), "bob"), "reject-proposal", { proposal: unwanted, reason: "The customer called back" });
    await expect(confirmLate(unwantedOne!)).rejects.toMatchObject({ code: "not_found" });
    expect(await openApprovals(ctx())).toEqual([]);
    expect(await world.money(caller)).toMatchObject({ balance: 150 });
  });

  test("cannot be split: the refunds that operators made alone within 24 hours are summed", async () => {
    const { paymentId } = await world.paid(caller, { amount: 300 });
    await refund(paymentId, { dollars: 60 });
    await refund(paymentId, { dollars: 40, operator: "ana" });
    const id = await proposed(refund(paymentId, { dollars: 1 }));
    await confirmAs("ana", id);
    world.service.clock.advance(DAY_MS);
    await refund(paymentId, { dollars: 100 });
    expect(await world.money(caller)).toMatchObject({ balance: 99 });
    const other = await world.service.signUp();
    const elsewhere = await world.paid(other, { amount: 100 });
    expect((await refund(elsewhere.paymentId)).status).toBe("succeeded");
  });

  test("cannot be split over many customers", async () => {
    for (let done = 0; done < 10; done++) {
      const one = await world.service.signUp();
      const { paymentId } = await world.paid(one, { amount: 100 });
      await refund(paymentId, { operator: done % 2 === 0 ? "grace" : "ana" });
    }
    const { paymentId } = await world.paid(await world.service.signUp(), { amount: 10 });
    const id = await proposed(refund(paymentId, { dollars: 5 }));
    expect((await confirmAs("ana", id)).status).toBe("succeeded");
  });
});

describe("a proposal confirms only the order that it was made for", () => {
  const stale = /no longer matches the current state/;

  test("not another payment, customer, action or amount", async () => {
    const other = await world.service.signUp();
    const [first, second] = [await world.paid(caller, { amount: 150 }), await world.paid(caller, { amount: 150 })];
    const refunding = await proposed(refund(first.paymentId));
    for (const change of [
      `input = input || '{"payment": "${second.paymentId}"}'`,
      `subject = '${second.paymentId}'`,
      "amount_micros = amount_micros + 1",
      `customer_id = '${other.id}'`,
      `detail = detail || '{"force": true}'`,
      "input = null",
    ]) {
      await rewrite(refunding, change);
      await expect(confirmAs("ana", refunding)).rejects.toThrow(stale);
      await rewrite(
        refunding,
        `input = '{"payment": "${first.paymentId}", "force": false, "again": false,
        "key": "0199cccc-0000-7000-8000-000000000009"}', subject = '${first.paymentId}', amount_micros = 150000000,
        customer_id = '${caller.id}', detail = detail || '{"force": false}'`,
      );
    }
    const giving = await proposed(
      operate(asOperator(ctx(), "grace"), "adjust", { customer: caller.id, amount: 120_000_000n, reason: "Sorry" }),
    );
    for (const [change, back] of [
      [`input = input || '{"customer": "${other.id}"}'`, `input = input || '{"customer": "${caller.id}"}'`],
      [`input = input || '{"amount": "121.00"}'`, `input = input || '{"amount": "120.00"}'`],
      ["action = 'refund'", "action = 'adjust'"],
    ] as const) {
      await rewrite(giving, change);
      await expect(confirmAs("ana", giving)).rejects.toThrow(stale);
      await rewrite(giving, back);
    }
    expect([await world.money(caller), await world.money(other)]).toMatchObject([{ balance: 300 }, { balance: 0 }]);
    await confirmAs("ana", giving);
    expect(await world.money(caller)).toMatchObject({ balance: 420 });
    await confirmAs("ana", refunding);
    expect(await world.money(caller)).toMatchObject({ balance: 270 });
  });

  test("not another customer, limit, value or action of a change", async () => {
    const other = await world.service.signUp();
    const until = new Date(world.service.clock.now().getTime() + DAY_MS).toISOString();
    const order = { customer: caller.id, name: "spend-per-day", value: "900", until, reason: "They called" } as const;
    await expect(operate(asOperator(ctx(), "grace"), "set-term", order)).rejects.toMatchObject({
      messageRef: { reason: "operator.second_operator_change" },
    });
    const id = (await openApprovals(ctx())).at(-1)?.id ?? "none";
    const written = JSON.stringify({ customer: caller.id, name: "spend-per-day", value: "900", until });
    for (const change of [
      `input = input || '{"customer": "${other.id}"}'`,
      `input = input || '{"name": "calls-per-day"}'`,
      `input = input || '{"value": "901"}'`,
      `input = input || '{"name": "tier", "value": "trusted"}'`,
      "action = 'unfreeze'",
    ]) {
      await rewrite(id, change);
      await expect(confirmAs("ana", id)).rejects.toThrow(stale);
      await rewrite(id, `input = '${written}', action = 'set-term'`);
    }
    const { rows } = await sql<any>`select count(*)::int as terms from customer_term`.execute(world.database.handle.db);
    expect(rows[0].terms).toBe(0);
    await confirmAs("ana", id);
  });
});

test("writing off a debt above $100 requires two operators", async () => {
  const { paymentId } = await world.paid(caller, { amount: 150 });
  await world.spend(caller, 150);
  await confirmAs("ana", await proposed(refund(paymentId, { force: true })));
  expect(await world.money(caller)).toMatchObject({ debt: 150 });
  const order = { customer: caller.id, reason: "Will not pay" };
  const id = await proposed(operate(asOperator(ctx(), "ana"), "write-off", order));
  expect(await world.money(caller)).toMatchObject({ debt: 150 });
  await expect(confirmAs("ana", id)).rejects.toThrow(/Another operator/);
  expect(await confirmAs("grace", id)).toBe(150_000_000n);
  expect(await world.money(caller)).toMatchObject({ debt: 0 });
});
