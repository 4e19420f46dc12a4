import { transactionsResponse, type Transaction } from "@farline/contract/billing.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BillingClient } from "../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../test/worlds/billing-world.ts";
import { addContact } from "../../test/add-contact.ts";
import { newCampaign } from "../../test/operate.ts";

let world: BillingWorld;
beforeAll(async () => {
  world = await BillingWorld.start();
});
afterAll(() => world.close());

async function page(caller: BillingClient, query: string) {
  const { status, body } = await caller.get(`transactions?${query}`);
  expect([status, body.message]).toEqual([200, undefined]);
  return transactionsResponse.parse(body).transactions;
}

async function everyPage(caller: BillingClient, query: string): Promise<Transaction[]> {
  const rows: Transaction[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const next: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { data, next_cursor } = await page(caller, `limit=2&${query}${next}`);
    rows.push(...data);
    cursor = next_cursor;
  }
  return rows;
}

async function checkout(caller: BillingClient, amount: number): Promise<{ paymentId: string; sessionId: string }> {
  // Ledger entries are timestamped by the database.
  world.service.clock.advance(Date.now() - world.service.clock.now().getTime());
  const { body } = await caller.post("top-up", { amount });
  return { paymentId: body.payment_id, sessionId: body.session_id };
}

/** A customer with an abandoned, a paid, a declined and an open checkout, and some spending. */
async function withAttempts(): Promise<{ caller: BillingClient; left: string; open: string }> {
  const caller = await world.service.signUp();
  const left = await checkout(caller, 7);
  world.stripe.session(left.sessionId).status = "expired";
  await world.hear("checkout.session.expired", { id: left.sessionId });
  await world.paid(caller, { package_id: "20" });
  await world.spend(caller, 3);
  const open = await checkout(caller, 9);
  return { caller, left: left.paymentId, open: open.paymentId };
}

describe("a checkout that its payer left", () => {
  const newest = async (caller: BillingClient) => (await page(caller, "group=top_ups")).data[0];
  const end = (caller: BillingClient, paymentId: string) => caller.post(`payments/${paymentId}/end`, {});

  test("ends at the provider when its payer says so, once, and can be paid again", async () => {
    const caller = await world.service.signUp();
    const { paymentId, sessionId } = await checkout(caller, 9);
    for (let time = 0; time < 2; time++) expect((await end(caller, paymentId)).status).toBe(204);
    expect(world.stripe.session(sessionId).status).toBe("expired");
    expect(await newest(caller)).toMatchObject({ status: "cancelled", checkout_url: null, can_pay_again: true });
  });

  test("is credited if it was paid meanwhile, although no event came", async () => {
    const caller = await world.service.signUp();
    const { paymentId, sessionId } = await checkout(caller, 9);
    world.stripe.pay(sessionId);
    expect((await end(caller, paymentId)).status).toBe(204);
    expect(await world.money(caller)).toMatchObject({ balance: 9 });
  });

  test("stays payable while the provider cannot be asked, and the answer says so", async () => {
    const caller = await world.service.signUp();
    const { paymentId } = await checkout(caller, 9);
    world.stripe.failNext = 20;
    expect((await end(caller, paymentId)).body).toMatchObject({ code: "payment_provider_down" });
    world.stripe.failNext = 0;
    expect((await newest(caller))?.status).toBe("pending");
  });

  test("is nobody else's to end", async () => {
    const caller = await world.service.signUp();
    const { paymentId, sessionId } = await checkout(caller, 9);
    expect((await end(await world.service.signUp(), paymentId)).status).toBe(404);
    expect((await end(caller, "x")).status).toBe(404);
    expect(world.stripe.session(sessionId).status).toBe("open");
  });

  test("for somebody else is not offered as a payment for oneself", async () => {
    const caller = await world.service.signUp();
    const token = await world.asks(await world.service.signUp());
    const { body } = await caller.post("gifts", { token, amount: 9, greeting: "" });
    expect((await newest(caller))?.checkout_url).toMatch(/^http/);
    await end(caller, body.payment_id);
    expect(await newest(caller)).toMatchObject({ status: "cancelled", can_pay_again: false });
  });
});

describe("card payments that brought no credit", () => {
  test("are listed with their outcome and without a running balance", async () => {
    const { caller, left, open } = await withAttempts();
    const rows = await everyPage(caller, "group=all");
    expect(rows.filter(({ status }) => status !== "completed")).toMatchObject([
      { id: open, status: "pending", problem: null, amount: "9.00", balance_after: null, can_pay_again: false },
      { id: left, status: "cancelled", problem: "not_finished", amount: "7.00", checkout_url: null, can_pay_again: true },
    ]);
    expect(rows.find(({ id }) => id === open)?.checkout_url).toMatch(/^http/);
    const entries = rows.filter(({ balance_after }) => balance_after !== null).toReversed();
    let balance = 0n;
    for (const entry of entries) {
      balance += fromDecimalString(entry.amount) * (entry.type === "credit" ? 1n : -1n);
      expect(fromDecimalString(entry.balance_after ?? "")).toBe(balance);
    }
    expect(balance).toBe(fromDecimalString(await caller.balance()));
    expect((await page(caller, "group=all")).total).toBe(entries.length);
  });

  test("are listed once each, newest first, for any page size", async () => {
    const { caller } = await withAttempts();
    const firstPage = await page(caller, "group=all&limit=100");
    expect(firstPage.next_cursor).toBeNull();
    expect(await everyPage(caller, "group=all")).toEqual(firstPage.data);
    const times = firstPage.data.map((row) => row.created_at);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(new Set(firstPage.data.map((row) => row.id)).size).toBe(5);
  });

  test("can be filtered and appear only among top-ups", async () => {
    const { caller, left, open } = await withAttempts();
    const alone = await page(caller, "group=unpaid");
    expect([alone.data.map((row) => row.id), alone.total]).toEqual([[open, left], 2]);
    expect((await everyPage(caller, "group=top_ups")).map((row) => row.status)).toEqual(["pending", "completed", "cancelled"]);
    for (const group of ["calls", "refunds", "bonus"])
      expect((await page(caller, `group=${group}`)).data.filter((row) => row.balance_after === null)).toEqual([]);
  });

  test("are replaced by the ledger entry once they are paid", async () => {
    const caller = await world.service.signUp();
    const { paymentId, sessionId } = await checkout(caller, 9);
    world.stripe.pay(sessionId);
    await world.hear("checkout.session.completed", { id: sessionId });
    const { data } = await page(caller, "group=all");
    expect(data).toMatchObject([{ status: "completed", reference_id: paymentId, balance_after: "9.00", problem: null }]);
    expect((await page(caller, "group=unpaid")).data).toEqual([]);
  });

  test.each(["x", "1~x", "1", "0~"])("are refused for the invalid cursor %j", async (cursor) => {
    const caller = await world.service.signUp();
    const { status } = await caller.get(`transactions?cursor=${encodeURIComponent(cursor)}`);
    expect(status).toBe(400);
  });
});

test("a promo bonus is listed with its promo code", async () => {
  const caller = await world.service.signUp();
  const code = await newCampaign(world.service.ctx, { code: "LINES10" });
  await world.paid(caller, { package_id: "20", promo_code: code });
  const { data } = await page(caller, "group=bonus");
  expect(data).toMatchObject([
    { about: "promo_code", promo_code: "LINES10", amount: "2.00" },
    { about: null, promo_code: null, amount: "1.00" },
  ]);
});

test("a call to a contact's number has the contact's name, and only for the customer whose contact it is", async () => {
  const [caller, other] = [await world.service.signUp(), await world.service.signUp()];
  await addContact(world.database.handle, caller.id, { firstName: "Mama", number: "+233200000142", countryCode: "GH" });
  for (const one of [caller, other]) {
    await world.paid(one, { amount: 5 });
    await world.spend(one, 1, "Call to +233 20 000 0142");
  }
  await world.spend(caller, 1, "Call to +233 20 *");
  const namesOf = async (one: BillingClient) => (await page(one, "group=calls")).data.map((row) => row.contact_name);
  expect(await namesOf(caller)).toEqual([null, "Mama"]);
  expect(await namesOf(other)).toEqual([null]);
});
