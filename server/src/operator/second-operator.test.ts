import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BillingClient } from "../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../test/worlds/billing-world.ts";
import { orderRefund } from "../billing/billing.ts";
import { changeTerm } from "../terms/terms.ts";
import { adjustCredit, openApprovals, rejectApproval, unfreezeAccount, writeOffDebt } from "./operator.ts";
import { asOperator } from "../../test/test-context.ts";

let world: BillingWorld;
let caller: BillingClient;
beforeEach(async () => {
  world = await BillingWorld.start();
  caller = await world.service.signUp();
});
afterEach(() => world.close());

const ctx = () => world.service.ctx;
const refund = (paymentId: string, more: { dollars?: number; operator?: string; confirms?: string; force?: boolean } = {}) =>
  orderRefund(asOperator(ctx(), more.operator ?? "grace"), {
    paymentId,
    amountMicros: more.dollars === undefined ? null : BigInt(more.dollars * 1e6),
    force: more.force ?? false,
    reason: "Asked for by phone",
    ...(more.confirms === undefined ? {} : { confirms: more.confirms }),
  });

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

    await expect(refund(paymentId, { operator: "grace", confirms: id })).rejects.toThrow(/Another operator must confirm/);
    await expect(refund(paymentId, { operator: "ana", confirms: id, dollars: 149 })).rejects.toThrow(
      /no longer matches the current state/,
    );
    expect(await world.money(caller)).toMatchObject({ balance: 150 });

    expect((await refund(paymentId, { operator: "ana", confirms: id })).status).toBe("succeeded");
    expect(await world.money(caller)).toMatchObject({ balance: 0 });
    await expect(refund(paymentId, { operator: "ana", confirms: id })).rejects.toThrow(/\$0.00 of this payment is left/);
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
    const tries = ["ana", "eve", "bob"].map((operator) => refund(paymentId, { operator, confirms: id, dollars: 120 }));
    const results = await Promise.allSettled(tries);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(world.stripe.session(sessionId).refunds.map(({ amount }) => amount)).toEqual([12_000]);
  });

  test("cannot be confirmed after a day or after its rejection", async () => {
    const { paymentId } = await world.paid(caller, { amount: 150 });
    const late = await proposed(refund(paymentId));
    world.service.clock.advance(DAY_MS);
    await expect(refund(paymentId, { operator: "ana", confirms: late })).rejects.toMatchObject({ code: "not_found" });
    const unwanted = await proposed(refund(paymentId));
    await rejectApproval(asOperator(ctx(), "bob"), { id: unwanted, reason: "The customer called back" });
    await expect(refund(paymentId, { operator: "ana", confirms: unwanted })).rejects.toMatchObject({ code: "not_found" });
    expect(await openApprovals(ctx())).toEqual([]);
    expect(await world.money(caller)).toMatchObject({ balance: 150 });
  });

  test("cannot be split: the refunds that operators made alone within 24 hours are summed", async () => {
    const { paymentId } = await world.paid(caller, { amount: 300 });
    await refund(paymentId, { dollars: 60 });
    await refund(paymentId, { dollars: 40, operator: "ana" });
    const id = await proposed(refund(paymentId, { dollars: 1 }));
    await refund(paymentId, { dollars: 1, operator: "ana", confirms: id });
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
    expect((await refund(paymentId, { dollars: 5, operator: "ana", confirms: id })).status).toBe("succeeded");
  });
});

describe("a proposal confirms only the order that it was made for", () => {
  const stale = /no longer matches the current state/;
  const customerOf = (one: BillingClient, dollars: number, confirms?: string) => ({
    ...{ customer: one.id, reason: "Sorry", again: true, amountMicros: BigInt(dollars) * 1_000_000n },
    ...(confirms === undefined ? {} : { confirms }),
  });

  test("not another payment, customer, action or amount", async () => {
    const other = await world.service.signUp();
    const [first, second] = [await world.paid(caller, { amount: 150 }), await world.paid(caller, { amount: 150 })];
    const refunding = await proposed(refund(first.paymentId));
    await expect(refund(second.paymentId, { operator: "ana", confirms: refunding })).rejects.toThrow(stale);
    const ana = asOperator(ctx(), "ana");
    await expect(adjustCredit(ana, customerOf(caller, 150, refunding))).rejects.toThrow(stale);
    const giving = await proposed(adjustCredit(asOperator(ctx(), "grace"), customerOf(caller, 120)));
    await expect(adjustCredit(ana, customerOf(other, 120, giving))).rejects.toThrow(stale);
    await expect(adjustCredit(ana, customerOf(caller, 121, giving))).rejects.toThrow(stale);
    expect([await world.money(caller), await world.money(other)]).toMatchObject([{ balance: 300 }, { balance: 0 }]);
    await adjustCredit(ana, customerOf(caller, 120, giving));
    expect(await world.money(caller)).toMatchObject({ balance: 420 });
  });

  test("not another customer, limit, value or action of a change", async () => {
    const other = await world.service.signUp();
    const term = (operator: string, more: object = {}) =>
      changeTerm(asOperator(ctx(), operator), {
        ...{ customer: caller.id, name: "spend-per-day", value: "900", reason: "They called" },
        until: new Date(world.service.clock.now().getTime() + DAY_MS),
        ...more,
      });
    await expect(term("grace")).rejects.toMatchObject({ messageRef: { reason: "operator.second_operator_change" } });
    const confirms = (await openApprovals(ctx())).at(-1)?.id ?? "none";
    for (const change of [
      { customer: other.id },
      { name: "calls-per-day" },
      { value: "901" },
      { name: "tier", value: "trusted" },
    ])
      await expect(term("ana", { ...change, confirms })).rejects.toThrow(stale);
    await expect(
      unfreezeAccount(asOperator(ctx(), "ana"), { customer: caller.id, reason: "They called", confirms }),
    ).rejects.toThrow(stale);
    const { rows } = await sql<any>`select count(*)::int as terms from customer_term`.execute(world.database.handle.db);
    expect(rows[0].terms).toBe(0);
    await term("ana", { confirms });
  });
});

test("writing off a debt above $100 requires two operators", async () => {
  const { paymentId } = await world.paid(caller, { amount: 150 });
  await world.spend(caller, 150);
  const confirms = await proposed(refund(paymentId, { force: true }));
  await refund(paymentId, { force: true, operator: "ana", confirms });
  expect(await world.money(caller)).toMatchObject({ debt: 150 });
  const order = { customer: caller.id, reason: "Will not pay" };
  const id = await proposed(writeOffDebt(asOperator(ctx(), "ana"), order));
  expect(await world.money(caller)).toMatchObject({ debt: 150 });
  await expect(writeOffDebt(asOperator(ctx(), "ana"), { ...order, confirms: id })).rejects.toThrow(/Another operator/);
  expect(await writeOffDebt(asOperator(ctx(), "grace"), { ...order, confirms: id })).toBe(150_000_000n);
  expect(await world.money(caller)).toMatchObject({ debt: 0 });
});
