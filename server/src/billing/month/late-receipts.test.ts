import { operate } from "../../../test/operate.ts";
import { sql } from "kysely";
import { DAY_MS } from "@farline/domain/durations.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { asOperator } from "../../../test/test-context.ts";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import { lateMonth, lockBooksToClose } from "../documents/receipt.store.ts";
import { monthOf } from "../documents/statement-month.ts";
import { readMonth } from "./close-month.ts";
import { readBooks } from "./read-books.ts";

let world: BillingWorld;
let month: string;
let next: string;
beforeEach(async () => {
  world = await BillingWorld.start();
  Object.assign(world.service.ctx.config, { seller: { ...world.service.ctx.config.seller, taxMillipercent: 20_000 } });
  month = monthOf(world.service.clock.now());
  next = monthOf(new Date(Date.parse(`${month}-01T00:00:00Z`) + 32 * DAY_MS));
});
afterEach(() => world.close());

const close = (of = month) =>
  operate(asOperator(world.service.ctx, "grace"), "close-month", { month: of, reason: "Month's end" });
const books = (of: string) => readBooks(world.service.ctx, of);

test("a receipt that comes after its month was closed is in the next month, and both months and the receipt say so", async () => {
  const caller = await world.service.signUp();
  await world.paid(caller, { amount: 20 });
  await world.service.runJob("issue-receipts");
  const { sessionId, intentId } = await world.paid(caller, { amount: 10 });
  world.stripe.refundTo(sessionId, 500);
  await world.hear("charge.refunded", { id: "ch", payment_intent: intentId });
  world.service.clock.advance(40 * DAY_MS);
  const { books: closed } = await close();
  expect(closed.taxes).toMatchObject([{ paid: "20.00", refunded: "0.00", tax: "3.33" }]);

  await world.service.runJob("issue-receipts");
  const late = { paid_month: month, books_month: next, count: 2, tax: "0.84" };
  expect(await readMonth(world.service.ctx, month)).toMatchObject({
    books: { taxes: closed.taxes, late_receipts: [late], faults: [] },
    closing: { books: { taxes: closed.taxes } },
  });
  expect(await books(next)).toMatchObject({ taxes: [{ paid: "10.00", refunded: "5.00", tax: "0.84" }], late_receipts: [late] });
  const { rows } = await sql<any>`select kind, books_month from receipt order by id`.execute(world.database.handle.db);
  expect(rows).toEqual([
    { kind: "payment", books_month: null },
    { kind: "payment", books_month: next },
    { kind: "refund", books_month: next },
  ]);
});

test("a refund states the rate of its payment, although the seller's has changed", async () => {
  const caller = await world.service.signUp();
  const { sessionId, intentId } = await world.paid(caller, { amount: 10 });
  await world.service.runJob("issue-receipts");
  const { config } = world.service.ctx;
  Object.assign(config, { seller: { ...config.seller, taxMillipercent: 10_000 } });
  world.stripe.refundTo(sessionId, 1_000);
  await world.hear("charge.refunded", { id: "ch", payment_intent: intentId });
  await world.service.runJob("issue-receipts");
  world.service.clock.advance(60_000);
  expect((await books(month)).taxes).toEqual([{ percent: "20", paid: "10.00", refunded: "10.00", tax: "0.00" }]);
});

test("closing waits for a receipt that is being issued, and a receipt waits for the closing", async () => {
  const { handle } = world.database;
  const ended: string[] = [];
  const waiting = () =>
    sql<any>`select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`
      .execute(handle.db)
      .then(({ rows }) => rows[0].n);
  for (const order of ["receipt first", "closing first"]) {
    const work = {
      receipt: (tx: Parameters<typeof lockBooksToClose>[0]) => lateMonth(tx, world.service.clock.now()),
      closing: lockBooksToClose,
    };
    const [one, other] = order === "receipt first" ? [work.receipt, work.closing] : [work.closing, work.receipt];
    const gate = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const first = handle.db.transaction().execute(async (tx) => {
      await one(tx);
      locked.resolve();
      await gate.promise;
      ended.push(`${order}: first`);
    });
    await locked.promise;
    const second = handle.db.transaction().execute(async (tx) => {
      await other(tx);
      ended.push(`${order}: second`);
    });
    await expect.poll(waiting).toBe(1);
    gate.resolve();
    await Promise.all([first, second]);
  }
  expect(ended.map((one) => one.split(": ")[1])).toEqual(["first", "second", "first", "second"]);
});
