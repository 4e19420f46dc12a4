import { operate } from "../../../test/operate.ts";
import { parse } from "csv-parse/sync";
import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asOperator } from "../../../test/test-context.ts";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import { ledger } from "../../ledger/ledger.ts";
import { monthOf, monthsAfter } from "../documents/statement-month.ts";
import { readMonth } from "./close-month.ts";
import { monthCsv } from "./month-csv.ts";
import { readProviderMonth } from "./read-provider-month.ts";

let world: BillingWorld;
let caller: BillingClient;
let month: string;

/** Starts a service of its own for the tests of a `describe`, in the running month. */
function ownWorld(prepare: () => Promise<void> = async () => {}): void {
  beforeAll(async () => {
    world = await BillingWorld.start();
    caller = await world.service.signUp();
    month = monthOf(world.service.clock.now());
    await prepare();
  });
  afterAll(() => world.close());
}

/** Bookings have the database's time, so the service's clock must not be behind it; a minute does not end the month. */
const later = () => world.service.clock.advance(60_000);
const nextMonth = () => world.service.clock.advance(40 * DAY_MS);
const books = async (of = month) => (await readMonth(world.service.ctx, of)).books;
const provider = () => readProviderMonth(world.service.ctx, month);
const movements = async () => (await books()).movements.map(({ line, count, total, bonus }) => [line, count, total, bonus]);

/** A payment, a call, a returned part, a dispute that is lost, and a withdrawal. */
async function fillMonth(): Promise<void> {
  const first = await world.paid(caller, { package_id: "50" });
  await world.paid(caller, { amount: 20 });
  const other = await world.service.signUp();
  const disputed = await world.paid(other, { amount: 10 });
  await world.spend(caller, 30);
  await world.spend(other, 4);
  await caller.post("withdrawals", { amount: 5 });
  world.stripe.refundTo(first.sessionId, 700);
  await world.hear("charge.refunded", { id: "ch", payment_intent: first.intentId });
  await world.hear("charge.dispute.created", world.stripe.dispute(disputed.sessionId, "needs_response"));
  world.stripe.balance.move("payout", -4000);
  world.stripe.balance.move("fee", -200);
  later();
}

describe("an eventful month", () => {
  ownWorld(fillMonth);

  test("opening and movements are the closing", async () => {
    expect(await books()).toMatchObject({
      ...{ month, complete: false, faults: [] },
      opening: { total: "0.00", bought: "0.00", bonus: "0.00" },
      closing: { total: "28.30", bought: "28.30", bonus: "0.00", owed: "4.00" },
      days: [{ day: expect.stringContaining(month), top_ups: "80.00", charges: "34.00" }],
    });
    expect(await movements()).toEqual([
      ["top_up", 3, "80.00", "0.00"],
      ["charge", 2, "-34.00", "-5.00"],
      ["refund", 1, "-7.00", "0.00"],
      ["withdrawal", 1, "-5.00", "0.00"],
      ["dispute", 1, "-10.00", "0.00"],
      ["bonus_given", 1, "5.00", "5.00"],
      ["bonus_taken_back", 1, "-0.70", "0.00"],
    ]);
  });

  test("the provider's fees and payouts are reported, and its payments agree with the ledger", async () => {
    expect(await provider()).toEqual({
      month,
      lines: [
        { category: "charge", count: 3, amount: "80.00", fee: "1.77", net: "78.23" },
        { category: "dispute", count: 1, amount: "-10.00", fee: "15.00", net: "-25.00" },
        { category: "fee", count: 1, amount: "-2.00", fee: "0.00", net: "-2.00" },
        { category: "payout", count: 1, amount: "-40.00", fee: "0.00", net: "-40.00" },
        { category: "refund", count: 2, amount: "-12.00", fee: "0.00", net: "-12.00" },
      ].map((line) => ({ ...line, currency: "USD", paid: null, rate: null, known: true })),
      provider_net: "58.00",
      ledger_net: "58.00",
      differences: [],
    });
  });

  test("the file has every line, and no text in it is a formula", async () => {
    const report = await provider();
    const difference = {
      ...{ payment_id: null, reference: "=cmd|' /C calc'!A0", currency: "USD" },
      provider: "1.00",
      ledger: "0.00",
      timing: false,
      text: "?",
    };
    const file = monthCsv(await books(), { ...report, differences: [difference] });
    const [head, ...rows] = parse(file, { bom: true });
    expect(head?.slice(3, 5)).toEqual(["Currency", "Total"]);
    const topUps = ["Books", "Top-ups", "3", "USD", "80.00", "80.00", "0.00"];
    expect(rows.find(([, line]) => line === "Top-ups")?.slice(0, 7)).toEqual(topUps);
    expect(rows.find(([section]) => section === "Difference")?.[1]).toBe("'=cmd|' /C calc'!A0");
    expect(rows.map(([section]) => section)).toContain("Provider");
  });

  test("differences from the provider are named; the two sides of a month's end are none", async () => {
    const [first, second, third] = world.stripe.balance.movements;
    const intentOf = (movement: typeof first) => movement?.source.payment_intent;
    Object.assign(first!, { amount: 4900 });
    Object.assign(second!, { created: Date.parse(`${month}-01T00:00:00Z`) / 1_000 - 1 });
    const ours = { site: world.service.ctx.config.publicUrl };
    world.stripe.balance.move("charge", 500, { intent: "pi_stray", metadata: ours });
    world.stripe.balance.move("charge", 300, { metadata: ours });
    const inEuros = world.stripe.balance.move("charge", 200, { intent: intentOf(third)! });
    Object.assign(inEuros, { currency: "eur", source: { ...inEuros.source, currency: "eur" } });
    const { differences } = await provider();
    const found = differences.map((one) => [one.reference, one.provider, one.ledger, one.timing]);
    expect(found.toSorted(([, one], [, other]) => Number(one) - Number(other))).toEqual([
      [intentOf(second), "-5.00", "15.00", true],
      [intentOf(third), "2.00", "0.00", false],
      [expect.stringMatching(/^txn/), "3.00", "0.00", false],
      ["pi_stray", "5.00", "0.00", false],
      [intentOf(first), "42.00", "43.00", false],
    ]);
  });
});

describe("a month that is over", () => {
  ownWorld(async () => {
    const { paymentId } = await world.paid(caller, { amount: 20 });
    await operate(asOperator(world.service.ctx, "grace"), "refund", {
      ...{ payment: paymentId, amount: 3_000_000n, force: false, outside: "TRANSFER 1", reason: "Voucher" },
    });
    const automatic = await world.paid(caller, { amount: 10 });
    const { db } = world.database.handle;
    await sql`alter table payment drop constraint payment_auto`.execute(db);
    await sql`update payment set kind = 'auto' where id = ${automatic.paymentId}`.execute(db);
    await world.service.runJob("issue-receipts");
    await sql`alter table receipt disable trigger user`.execute(db);
    await sql`update receipt set seller = jsonb_set(seller, '{taxMillipercent}', '19000')`.execute(db);
  });
  const close = () => operate(asOperator(world.service.ctx, "grace"), "close-month", { month, reason: "Month's end" });

  test("it cannot be closed before its end", async () => {
    later();
    await expect(close()).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("is not over") });
  });

  test("refunds paid outside and automatic top-ups have lines of their own, and receipts give the tax", async () => {
    nextMonth();
    expect(await movements()).toEqual([
      ["top_up", 1, "20.00", "0.00"],
      ["auto_top_up", 1, "10.00", "0.00"],
      ["refund_outside", 1, "-3.00", "0.00"],
    ]);
    expect(await provider()).toMatchObject({ provider_net: "30.00", ledger_net: "30.00", differences: [] });
    expect((await books()).taxes).toEqual([{ percent: "19", paid: "30.00", refunded: "3.00", tax: "4.31" }]);
  });

  test("the next month opens with its closing, and the one before has no books", async () => {
    const { closing, complete } = await books();
    expect([complete, closing.total]).toEqual([true, "27.00"]);
    const next = monthOf(world.service.clock.now());
    expect(await books(next)).toMatchObject({ complete: false, opening: closing, closing, movements: [] });
    await expect(books(monthsAfter(month, -1))).rejects.toThrow(`They run from ${month} to ${next}.`);
  });

  test("accounts that are not the sum of their entries are a fault, with which it is not closed", async () => {
    const change = (micros: number) =>
      sql`update account set balance_micros = balance_micros + ${micros} where customer_id = ${caller.id}`.execute(
        world.database.handle.db,
      );
    await change(3);
    expect((await books()).faults).toEqual([
      { check: "accounts", text: "Accounts less later bookings: $27.000003, closing: $27.000000; the difference is $0.000003." },
    ]);
    await expect(close()).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("does not add up") });
    await change(-3);
  });

  test("closed once, it is kept and recorded; a booking in its time is a fault afterwards", async () => {
    const { db } = world.database.handle;
    expect(await close()).toMatchObject({
      operator: "grace",
      reason: "Month's end",
      books: { month },
      provider: { differences: [] },
    });
    await expect(close()).rejects.toMatchObject({ code: "conflict", message: `${month} is closed already.` });
    expect(await readMonth(world.service.ctx, month)).toMatchObject({ closing: { operator: "grace" }, books: { faults: [] } });
    const { rows } = await sql<any>`select subject, detail from operation where action = 'close-month'`.execute(db);
    const moves = { amount_micros: "0", reach: 0 };
    expect(rows).toEqual([{ subject: month, detail: { closing: "27.00", bonus: "0.00", differences: 0, ...moves } }]);
    // Falls into the closed month, because the service's clock runs ahead of the database's.
    await ledger.credit(db, {
      ...{
        key: "late",
        customerId: caller.id,
        kind: "adjustment",
        amountMicros: 1_000_001n,
        referenceId: null,
        description: "Late",
      },
    });
    expect((await books()).faults).toMatchObject([{ check: "closed" }]);
    const following = monthOf(new Date(Date.parse(`${month}-01T00:00:00Z`) + 32 * DAY_MS));
    expect((await books(following)).faults).toEqual([
      {
        check: "previous_month",
        text: "The previous month's closing: $27.000000, opening: $28.000001; the difference is $-1.000001.",
      },
    ]);
  });
});
