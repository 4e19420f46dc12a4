import { Readable } from "node:stream";
import { DAY_MS } from "@farline/domain/durations.ts";
import { receiptResponse, receiptsResponse, type Receipt } from "@farline/contract/billing-documents.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { operate } from "../../../test/operate.ts";
import { readPdf } from "../../../test/papers/read-pdf.ts";
import { asOperator } from "../../../test/test-context.ts";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import { issuePaymentReceipt, issueReceipts } from "./issue-receipts.ts";
import { allocateNumber } from "./receipt.store.ts";

let world: BillingWorld;
let caller: BillingClient;
beforeEach(async () => {
  world = await BillingWorld.start();
  caller = await world.service.signUp();
});
afterEach(() => world.close());

const query = async (sql: string, values: unknown[] = []) => (await world.database.handle.pool.query(sql, values)).rows;
const issue = () => world.service.runJob("issue-receipts");

async function receipts(of: BillingClient = caller): Promise<Receipt[]> {
  return receiptsResponse.parse((await of.get("receipts?limit=100")).body).receipts.data;
}

function mails(): Promise<{ recipient: string; data: Record<string, unknown> }[]> {
  return query("select recipient, data from mail where template = 'receipt' order by created_at, id");
}

/** The mails about money that did not arrive. */
async function failures(): Promise<unknown[]> {
  return (await query("select data from mail where template = 'payment_failed'")).map(({ data }) => data);
}

const year = new Date().getUTCFullYear();

describe("a payment", () => {
  test("has one receipt and one mail, even if requested repeatedly", async () => {
    const { paymentId, sessionId } = await world.paid(caller, { package_id: "20" });
    expect(await receipts()).toEqual([]);
    await world.database.warmUp();
    await Promise.all([
      ...Array.from({ length: 5 }, () => caller.post("confirm", { session_id: sessionId })),
      ...Array.from({ length: 5 }, () => issueReceipts(world.service.ctx, new AbortController().signal)),
    ]);
    const [receipt, ...others] = await receipts();
    expect(others).toEqual([]);
    expect(receipt).toMatchObject({
      number: `${year}-000001`,
      kind: "payment",
      amount: "20.00",
      bonus: "1.00",
      card: { brand: "visa", last4: "4242" },
      payment_id: paymentId,
    });
    expect(await mails()).toMatchObject([
      { recipient: `${caller.id}@example.com`, data: { receiptId: receipt?.id, amount: "20.00", bonus: "1.00", sample: true } },
    ]);
    const { body } = await caller.post("confirm", { session_id: sessionId });
    expect(body.receipt_id).toBe(receipt?.id);
    expect((await caller.get("transactions?group=top_ups")).body.transactions.data[0].receipt_id).toBe(receipt?.id);
  });

  test("gets its receipt from the job after a crash", async () => {
    await world.paid(caller, { amount: 5 });
    await world.paid(caller, { amount: 6 });
    await issue();
    await issue();
    expect((await receipts()).map((one) => [one.number, one.amount])).toEqual([
      [`${year}-000002`, "6.00"],
      [`${year}-000001`, "5.00"],
    ]);
  });

  test("without success has no receipt", async () => {
    const { body } = await caller.post("top-up", { amount: 5 });
    expect(await issuePaymentReceipt(world.service.ctx, body.payment_id)).toBeNull();
    await issue();
    expect(await receipts()).toEqual([]);
    expect((await caller.post("confirm", { session_id: body.session_id })).body.receipt_id).toBeNull();
  });

  test("has a complete and immutable receipt", async () => {
    await world.paid(caller, { amount: 119 });
    const seller = { name: "Calls Ltd", address: ["1 Road"], taxId: "DE1", taxMillipercent: 19_000, taxNote: "VAT included." };
    await issueReceipts(
      { ...world.service.ctx, config: { ...world.service.ctx.config, mode: "live", seller } },
      new AbortController().signal,
    );
    const [listed] = await receipts();
    const { body } = await caller.get(`receipts/${listed?.id}`);
    expect(receiptResponse.parse(body).receipt).toMatchObject({
      buyer: { name: "Ada Caller", email: `${caller.id}@example.com` },
      seller: { name: "Calls Ltd", address: ["1 Road"], tax_id: "DE1" },
      tax: { percent: "19", amount: "19.00" },
      tax_note: "VAT included.",
      corrects: null,
      credited: "119.00",
      sample: false,
    });
  });
});

describe("a refund", () => {
  test("has a receipt that names the corrected one, for withdrawals too", async () => {
    const { sessionId, intentId } = await world.paid(caller, { package_id: "20" });
    world.stripe.refundTo(sessionId, 500);
    await world.hear("charge.refunded", { payment_intent: intentId });
    await caller.post("withdrawals", { amount: 4 });
    await issue();
    expect((await receipts()).map((one) => [one.number, one.kind, one.amount, one.bonus])).toEqual([
      [`${year}-000003`, "withdrawal", "4.00", "0.20"],
      [`${year}-000002`, "refund", "5.00", "0.25"],
      [`${year}-000001`, "payment", "20.00", "1.00"],
    ]);
    const [newest] = await receipts();
    expect((await caller.get(`receipts/${newest?.id}`)).body.receipt.corrects).toBe(`${year}-000001`);
    expect((await mails()).map((mail) => mail.data["kind"])).toEqual(["payment", "refund", "withdrawal"]);
  });

  test("has no receipt until it succeeds, and none if it fails", async () => {
    const { sessionId } = await world.paid(caller, { amount: 10 });
    world.stripe.refundsAre = "pending";
    await caller.post("withdrawals", { amount: 10 });
    await issue();
    expect((await receipts()).map((one) => one.kind)).toEqual(["payment"]);
    world.stripe.refundTo(sessionId, 0);
    world.service.clock.advance(DAY_MS);
    await world.service.runJob("push-refunds");
    await issue();
    expect((await receipts()).map((one) => one.kind)).toEqual(["payment"]);
    expect(await failures()).toEqual([{ name: expect.any(String), event: "refund_failed", amount: "10.00" }]);
  });

  test("that fails after success has one correction", async () => {
    const { sessionId, intentId } = await world.paid(caller, { amount: 10 });
    world.stripe.refundTo(sessionId, 300);
    await world.hear("charge.refunded", { payment_intent: intentId });
    await issue();
    world.stripe.refundTo(sessionId, 0);
    const failed = world.stripe.session(sessionId).refunds[0];
    await world.hear("refund.failed", { ...failed, payment_intent: intentId });
    await issue();
    await issue();
    const [correction, refund] = await receipts();
    expect(correction).toMatchObject({ kind: "refund_returned", amount: "3.00", number: `${year}-000003` });
    expect((await caller.get(`receipts/${correction?.id}`)).body.receipt.corrects).toBe(refund?.number);
    expect(await receipts()).toHaveLength(3);
    // The correction's own mail says so.
    expect(await failures()).toEqual([]);
  });
});

describe("credit for somebody else", () => {
  /** The credit received, on the page, and whether the PDF has a row for it. */
  async function creditOn(receipt: Receipt | undefined): Promise<{ credited: unknown; inPdf: boolean }> {
    const { credited } = (await caller.get(`receipts/${receipt?.id}`)).body.receipt;
    const { ticket } = (await caller.post("document-ticket", { type: "receipt", id: receipt?.id })).body;
    const { rawPayload } = await world.service.app.inject({ url: `/api/billing/document?ticket=${ticket}` });
    const { text } = await readPdf(Readable.from([rawPayload]));
    return { credited, inPdf: text.includes("Credit received") };
  }

  test("is not credit received on the receipt's page, PDF and mail", async () => {
    await world.paid(caller, { package_id: "20" });
    await issue();
    const friend = await world.service.signUp();
    await world.gives(caller, await world.asks(friend), 10);
    await issue();
    const [gift, own] = await receipts();
    expect(await creditOn(gift)).toEqual({ credited: null, inPdf: false });
    expect(await creditOn(own)).toEqual({ credited: "21.00", inPdf: true });
    const [ownMail, giftMail] = await mails();
    expect(ownMail?.data).toMatchObject({ credited: "21.00" });
    expect(ownMail?.data).not.toHaveProperty("forOther");
    expect(giftMail?.data).toMatchObject({ credited: null, forOther: true });
  });

  test("that is refunded has the receipt of any refund", async () => {
    const friend = await world.service.signUp();
    const { paymentId } = await world.gives(caller, await world.asks(friend), 10);
    await operate(asOperator(world.service.ctx, "grace"), "refund", {
      ...{ payment: paymentId, amount: 10_000_000n, force: false, reason: "Asked for it back" },
    });
    await issue();
    const [refund, gift] = await receipts();
    expect(refund).toMatchObject({ kind: "refund", amount: "10.00" });
    expect((await caller.get(`receipts/${refund?.id}`)).body.receipt.corrects).toBe(gift?.number);
    expect(await creditOn(refund)).toEqual({ credited: null, inPdf: false });
    expect((await mails()).at(-1)?.data).toMatchObject({ kind: "refund", credited: null });
    expect((await mails()).at(-1)?.data).not.toHaveProperty("forOther");
  });
});

describe("receipt numbers", () => {
  test("have no gaps despite concurrency and rollbacks", async () => {
    const payments: string[] = [];
    for (let nth = 0; nth < 12; nth++) payments.push((await world.paid(caller, { amount: 5 })).paymentId);
    await world.database.warmUp();
    const givenUp = Array.from({ length: 12 }, () =>
      world.database.handle.db.transaction().execute(async (tx) => {
        await allocateNumber(tx, { year, series: 0 });
        throw new Error("died");
      }),
    );
    await Promise.allSettled([...payments.map((id) => issuePaymentReceipt(world.service.ctx, id)), ...givenUp]);
    const numbers = await query("select sequence from receipt order by sequence");
    expect(numbers.map((row) => row.sequence)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  });

  test("of services with series of their own wait for no other series, and have no gaps within each", async () => {
    const { ctx } = world.service;
    const other = { ...ctx, config: { ...ctx.config, receiptSeries: 3 } };
    const payments: string[] = [];
    for (let nth = 0; nth < 3; nth++) payments.push((await world.paid(caller, { amount: 5 })).paymentId);
    await world.database.handle.db.transaction().execute(async (tx) => {
      await allocateNumber(tx, { year, series: 0 });
      for (const id of payments.slice(0, 2)) await issuePaymentReceipt(other, id);
    });
    await issuePaymentReceipt(ctx, payments[2] ?? "");
    const numbers = await query("select number from receipt order by number");
    expect(numbers.map(({ number }) => number)).toEqual([`${year}-000002`, `${year}-300000001`, `${year}-300000002`]);
  });

  test("restart each year", async () => {
    await world.paid(caller, { amount: 5 });
    await issue();
    await world.paid(caller, { amount: 5 });
    const nextYear = Date.UTC(year + 1, 0, 1, 0, 0, 1);
    world.service.clock.advance(nextYear - world.service.clock.now().getTime());
    await issue();
    expect((await receipts()).map((one) => one.number)).toEqual([`${year + 1}-000001`, `${year}-000001`]);
  });
});

test("the database refuses to change or delete a receipt, except to erase its buyer", async () => {
  await world.paid(caller, { amount: 5 });
  await issue();
  await expect(query("update receipt set amount_micros = 10000")).rejects.toThrow("never changed");
  await expect(query("update receipt set year = 2000")).rejects.toThrow("never changed");
  await expect(query("delete from receipt")).rejects.toThrow("never changed");
  await query("update receipt set buyer_name = '', buyer_email = ''");
  expect(await receipts()).toHaveLength(1);
});

test("receipts are paged and show only the customer's own", async () => {
  for (let nth = 0; nth < 3; nth++) await world.paid(caller, { amount: 5 + nth });
  await issue();
  const first = receiptsResponse.parse((await caller.get("receipts?limit=2")).body).receipts;
  const second = receiptsResponse.parse((await caller.get(`receipts?limit=2&cursor=${first.next_cursor}`)).body).receipts;
  expect([...first.data, ...second.data].map((one) => one.amount)).toEqual(["7.00", "6.00", "5.00"]);
  expect(second.next_cursor).toBeNull();
  const stranger = await world.service.signUp();
  expect(await receipts(stranger)).toEqual([]);
  expect((await stranger.get(`receipts/${first.data[0]?.id}`)).status).toBe(404);
  expect((await stranger.get(`receipts?cursor=${first.next_cursor}`)).body.receipts.data).toEqual([]);
});

test.each(["receipts/1", "receipts/6f9619ff-8b86-4d01-b42d-00cf4fc964ff", "receipts/..%2F", "receipts/'; drop table receipt"])(
  "%s is not found",
  async (path) => {
    expect((await caller.get(path)).status).toBe(404);
  },
);

test("an invalid page is refused", async () => {
  expect((await caller.get("receipts?cursor=x")).status).toBe(400);
  expect((await caller.get("receipts?limit=0")).status).toBe(422);
});
