import { DAY_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readQueue } from "../../queue/read-queue.ts";
import { sendWithProof } from "../../../test/fakes/solve-challenge.ts";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import { operate } from "../../../test/operate.ts";
import { asOperator } from "../../../test/test-context.ts";
import { findCustomer } from "../../accounts/accounts.ts";

let world: BillingWorld;
let asker: BillingClient;
let token: string;
beforeEach(async () => {
  world = await BillingWorld.start({ limitsScale: 1, live: true });
  asker = await world.service.signUp();
  token = await world.asks(asker);
});
// Closing verifies the whole ledger.
afterEach(() => world.close());

const db = () => world.database.handle.db;

const inject = (path: string, payload: object) =>
  world.service.app.inject({ method: "POST", url: `/api/credit-requests/${path}`, payload });

async function post(path: string, payload: object): Promise<{ status: number; body: any }> {
  const response = await inject(path, payload);
  return { status: response.statusCode, body: response.json() };
}

/** A guest's order. @returns the provider's session, or the refusal */
async function orders(amount: number, guest: object = {}): Promise<{ sessionId: string; status: number; body: any }> {
  const order = { token, amount, name: "Kofi", email: "kofi@example.com", greeting: "For your calls", ...guest };
  const response = await sendWithProof((proof) => inject("pay", { ...order, proof }));
  const { rows } = await sql<{ session_id: string }>`select session_id from payment order by id desc limit 1`.execute(db());
  return { sessionId: rows[0]?.session_id ?? "", status: response.statusCode, body: response.json() };
}

async function pays(amount: number, card: string, guest: object = {}): Promise<string> {
  const { sessionId, status, body } = await orders(amount, guest);
  if (status !== 200) throw new Error(`no checkout: ${JSON.stringify(body)}`);
  world.stripe.pay(sessionId, card);
  await world.hear("checkout.session.completed", { id: sessionId });
  return sessionId;
}

const outcome = async (sessionId: string) => (await post("outcome", { session_id: sessionId })).body;
const given = async () => (await world.money(asker)).bonus;
const sent = (sessionId: string) => world.stripe.session(sessionId).refunds.reduce((sum, { amount }) => sum + amount, 0);

const waiting = async () =>
  (await readQueue(asOperator(world.service.ctx, "grace"), { order: "due", limit: 9, kind: "slow_refund" })).rows;
const refunds = (order: { payment: string; amount?: bigint; outside?: string; again?: boolean; force?: boolean }) =>
  operate(asOperator(world.service.ctx, "grace"), "refund", { force: false, reason: "Kofi asked", ...order });

async function afterDays(days: number): Promise<void> {
  world.service.clock.advance(days * DAY_MS);
  await world.service.runJob("give-due-credit");
}

test("whoever has a link sees who asks, for how much, what for and where, and nothing else", async () => {
  const { body } = await asker.post("../credit-requests", { amount: 20, note: "For calls to Grandma", country: "GH" });
  const opened = await post("open", { token: String(body.url).split("#t=")[1] });
  expect(opened.body).toMatchObject({ name: "Ada", amount: "20.00", note: "For calls to Grandma", guest_most: "50.00" });
  expect(Object.keys(opened.body).sort()).toEqual(["amount", "calls", "guest_most", "name", "note"]);
  expect((await asker.post("../credit-requests", { note: "Call 1-800-555-0199" })).body).toMatchObject({
    reason: "gift_greeting",
    errors: { note: [expect.any(String)] },
  });
});

test("a guest pays by card: the receiver gets credit that is never money, the guest a receipt without an account", async () => {
  const sessionId = await pays(20, "confirmed card");
  const given = { status: "paid", name: "Ada", amount: "20.00", credit: "given", due_at: null, goes_back: null };
  expect(await outcome(sessionId)).toEqual(given);
  expect(await world.money(asker)).toEqual({ balance: 20, debt: 0, bonus: 20 });
  expect((await asker.get("withdrawals")).body.withdrawable).toBe("0.00");
  expect((await asker.get("gifts")).body.gifts).toMatchObject([
    { direction: "received", name: "Kofi", greeting: "For your calls" },
  ]);
  const { rows } = await sql<any>`select recipient, data from mail where template = 'receipt'`.execute(db());
  expect(rows).toMatchObject([{ recipient: "kofi@example.com", data: { guest: true, amount: "20.00", forOther: true } }]);
});

test("a guest's address is nobody's: its owner can still sign up with it, and nobody signs in by it", async () => {
  await pays(20, "confirmed card", { email: "Grace@Example.com" });
  await pays(10, "confirmed card", { email: "grace@example.com", name: "Grace" });
  const { rows } = await sql<any>`select id, name, email_key, is_guest from customer where is_guest`.execute(db());
  expect(rows).toMatchObject([{ name: "Grace", email_key: "guest:grace@example.com" }]);
  const guest = await findCustomer(db(), rows[0].id);
  expect(guest).toMatchObject({ hasPassword: false, emailVerified: false, isGuest: true });
});

test("only a guest's payment has an outcome without an account", async () => {
  const { sessionId } = await world.paid(asker, { amount: 10 });
  expect((await post("outcome", { session_id: sessionId })).status).toBe(404);
  expect((await post("outcome", { session_id: "cs_unknown" })).status).toBe(404);
});

test.each([
  ["that the bank did not confirm", async () => pays(20, "a card")],
  [
    "with a card that pays for another account",
    async () => {
      await world.paid(await world.service.signUp(), { amount: 10 }, "confirmed card");
      return pays(20, "confirmed card");
    },
  ],
])("credit of a payment %s waits three days, then it is given", async (_, pay) => {
  const sessionId = await pay();
  expect(await outcome(sessionId)).toMatchObject({ status: "paid", credit: "held" });
  expect((await asker.get("gifts")).body.gifts).toMatchObject([{ state: "held", amount: "20.00" }]);
  await afterDays(2.9);
  expect(await given()).toBe(0);
  await afterDays(0.2);
  expect([await given(), (await outcome(sessionId)).credit]).toEqual([20, "given"]);
});

test("the third guest of a week waits, the same guest again does not", async () => {
  await pays(10, "confirmed one", { email: "one@example.com" });
  await pays(10, "confirmed two", { email: "two@example.com" });
  await pays(10, "confirmed two", { email: "two@example.com" });
  expect(await given()).toBe(30);
  await pays(10, "confirmed three", { email: "three@example.com" });
  expect(await given()).toBe(30);
});

test("credit whose payment was disputed while it waited is never given, and the receiver loses nothing", async () => {
  await pays(10, "confirmed card", { email: "one@example.com" });
  const sessionId = await pays(20, "a stolen card");
  const dispute = world.stripe.dispute(sessionId, "needs_response");
  await world.hear("charge.dispute.created", dispute);
  await world.hear("charge.dispute.funds_withdrawn", dispute);
  await afterDays(4);
  expect(await given()).toBe(10);
  expect((await outcome(sessionId)).credit).toBe("kept");
});

test("what the receiver cannot get goes back to the guest's card", async () => {
  const { sessionId } = await orders(20);
  await sql`update customer set status = 'frozen' where id = ${asker.id}`.execute(db());
  world.stripe.pay(sessionId, "a card");
  await world.hear("checkout.session.completed", { id: sessionId });
  await afterDays(4);
  expect([await given(), await outcome(sessionId), sent(sessionId)]).toMatchObject([
    0,
    { credit: "kept", goes_back: "20.00" },
    2_000,
  ]);
  expect((await asker.get("gifts")).body.gifts).toMatchObject([{ state: "kept", goes_back: true }]);
  await afterDays(1);
  expect(sent(sessionId)).toBe(2_000);
});

test.each([
  { spent: 8, back: "12.00" },
  { spent: 25, back: "0.00" },
])("of what goes back a debt of the guest takes $spent dollars first, and both are told so", async ({ spent, back }) => {
  const used = await pays(30, "confirmed card");
  await world.spend(asker, spent);
  const { rows } = await sql<any>`select payment_id from credit_gift`.execute(db());
  await refunds({ payment: rows[0].payment_id, force: true });
  expect(sent(used)).toBe(3_000);
  const { sessionId } = await orders(20);
  await sql`update customer set status = 'frozen' where id = ${asker.id}`.execute(db());
  world.stripe.pay(sessionId, "confirmed card");
  await world.hear("checkout.session.completed", { id: sessionId });
  const told = { credit: "kept", goes_back: back };
  expect(await outcome(sessionId)).toMatchObject(told);
  await afterDays(1);
  expect([await outcome(sessionId), sent(sessionId)]).toMatchObject([told, Number(back) * 100]);
  expect((await asker.get("gifts")).body.gifts[0]).toMatchObject({ state: "kept", goes_back: false });
});

test("what one receiver cannot get goes back without the credit that waits for another", async () => {
  const other = await world.service.signUp();
  const waits = await pays(10, "a card");
  const { sessionId } = await orders(20, { token: await world.asks(other) });
  await sql`update customer set status = 'frozen' where id = ${other.id}`.execute(db());
  world.stripe.pay(sessionId, "confirmed card");
  await world.hear("checkout.session.completed", { id: sessionId });
  await afterDays(1);
  expect([sent(sessionId), sent(waits)]).toEqual([2_000, 0]);
  await afterDays(2.1);
  expect([await given(), sent(waits)]).toEqual([10, 0]);
});

test("what a bank gives back after a dispute goes to the guest's card, because the receiver has lost it", async () => {
  const sessionId = await pays(20, "confirmed card");
  const dispute = world.stripe.dispute(sessionId, "needs_response");
  await world.hear("charge.dispute.created", dispute);
  expect(await given()).toBe(0);
  await world.hear("charge.dispute.closed", world.stripe.dispute(sessionId, "won"));
  await afterDays(1);
  // An operator decides about a locked guest first.
  expect(sent(sessionId)).toBe(0);
  await sql`update customer set status = 'active' where is_guest`.execute(db());
  await afterDays(1);
  await afterDays(1);
  expect([sent(sessionId), await given(), (await world.money(asker)).debt]).toEqual([2_000, 0, 0]);
});

test("a card that refuses what goes back is tried once, and keeps no other guest waiting", async () => {
  const { sessionId } = await orders(20);
  await sql`update customer set closes_at = now() where id = ${asker.id}`.execute(db());
  world.stripe.pay(sessionId, "confirmed card");
  await world.hear("checkout.session.completed", { id: sessionId });
  world.stripe.refundsAre = "refused";
  for (let day = 0; day < 3; day++) await afterDays(1);
  const { rows } = await sql<any>`select status, payment_id from refund`.execute(db());
  expect(rows).toMatchObject([{ status: "failed" }]);
  // Nobody but an operator can say so.
  expect(await waiting()).toMatchObject([{ amount_micros: 20_000_000n, text: expect.stringContaining("paid outside") }]);
  await refunds({ payment: rows[0].payment_id, outside: "transfer 1" });
  expect(await waiting()).toEqual([]);
});

test("what a card refused of a refund that an operator ordered waits, too, until all of it is paid outside", async () => {
  await pays(20, "confirmed card");
  const { rows } = await sql<any>`select id from payment`.execute(db());
  const payment = rows[0].id;
  world.stripe.refundsAre = "refused";
  await refunds({ payment });
  await refunds({ payment, again: true });
  expect([await given(), await waiting()]).toMatchObject([0, [{ amount_micros: 20_000_000n }]]);
  await refunds({ payment, amount: 5_000_000n, outside: "transfer 1" });
  expect(await waiting()).toMatchObject([{ amount_micros: 15_000_000n }]);
  await refunds({ payment, outside: "transfer 2" });
  expect(await waiting()).toEqual([]);
});

test("a guest pays at most $50, and one customer receives at most $100 a day and $300 a month from guests", async () => {
  expect((await orders(51)).body).toMatchObject({ code: "top_up_limit_reached", reason: "guest_most" });
  for (const email of ["one@example.com", "two@example.com"]) await pays(50, `confirmed ${email}`, { email });
  expect((await orders(5, { email: "three@example.com" })).body).toMatchObject({ reason: "guest_receiver" });
  const other = await world.asks(await world.service.signUp());
  expect((await orders(5, { email: "three@example.com", token: other })).status).toBe(200);
});

test("a program that tries cards pays a proof of work for each, and a link that ended takes none", async () => {
  const order = { token, amount: 20, name: "Kofi", email: "kofi@example.com" };
  expect((await post("pay", order)).body.code).toBe("challenge_required");
  expect((await orders(20, { token: `${token}x` })).body.code).toBe("link_expired");
  expect((await orders(20, { name: "" })).status).toBe(422);
  expect((await orders(20, { email: "nobody" })).status).toBe(422);
  expect((await orders(20, { greeting: "see evil.com" })).body.reason).toBe("gift_greeting");
});

test("orders of many guests at the same moment stay within what one customer may receive", async () => {
  const guests = [1, 2, 3, 4, 5].map((n) => orders(40, { email: `guest${n}@example.com` }));
  const answers = await Promise.all(guests);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
});
