import { operate } from "../../../test/operate.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import { asOperator } from "../../../test/test-context.ts";
import { hasOnlyFirstCall } from "../../promotions/promotions.ts";
import { readFreshPayments, readPaymentFacts } from "../../risk/risk.ts";

let world: BillingWorld;
let payer: BillingClient;
let mother: BillingClient;
beforeEach(async () => {
  world = await BillingWorld.start();
  [payer, mother] = [await world.service.signUp(), await world.service.signUp()];
});
// Closing verifies the whole ledger.
afterEach(() => world.close());

const db = () => world.database.handle.db;
const sent = (sessionId: string) => world.stripe.session(sessionId).refunds.reduce((sum, { amount }) => sum + amount, 0);

async function mails(): Promise<{ recipient: string; data: Record<string, string> }[]> {
  const { rows } = await sql<any>`select recipient, data from mail where template = 'credit_received'`.execute(db());
  return rows;
}

describe("credit for somebody else", () => {
  test("is paid and receipted by the payer, and spent by the person who asked", async () => {
    const token = await world.asks(mother);
    expect((await payer.post("../credit-requests/open", { token })).body).toMatchObject({ name: "Ada", amount: null });
    const { paymentId } = await world.gives(payer, token, 20, { greeting: "For your birthday" });
    expect((await payer.post("confirm", { payment_id: paymentId })).body).toMatchObject({
      ...{ status: "paid", amount: "20.00", balance: "0.00", gift: { name: "Ada", is_given: true } },
    });
    expect(await world.money(payer)).toEqual({ balance: 0, debt: 0, bonus: 0 });
    expect(await world.money(mother)).toEqual({ balance: 20, debt: 0, bonus: 20 });
    expect(await world.lines(payer)).toEqual(["top_up", "gift"]);
    expect(await world.lines(mother)).toEqual(["gift"]);
    expect(await mails()).toMatchObject([
      { recipient: `${mother.id}@example.com`, data: { from: "Ada", amount: "20.00", greeting: "For your birthday" } },
    ]);
    await world.service.runJob("issue-receipts");
    expect((await payer.get("receipts")).body.receipts.data).toMatchObject([{ amount: "20.00" }]);
    expect((await mother.get("receipts")).body.receipts.data).toEqual([]);
    const { rows: receipts } = await sql<any>`select data from mail where template = 'receipt'`.execute(db());
    expect(receipts).toMatchObject([{ data: { amount: "20.00", credited: null, forOther: true } }]);
    expect((await payer.get("gifts")).body.gifts).toMatchObject([{ direction: "sent", amount: "20.00", state: "given" }]);
    expect((await mother.get("gifts")).body.gifts).toMatchObject([{ direction: "received", greeting: "For your birthday" }]);
    const postings =
      await sql<any>`select e.customer_id, e.amount_micros from credit_gift g join ledger_transaction t on t.reference_id = g.id
      join ledger_entry e on e.transaction_id = t.id where g.payment_id = ${paymentId} order by e.amount_micros, e.customer_id`.execute(
        db(),
      );
    expect(postings.rows).toHaveLength(4);
    expect(postings.rows.reduce((sum: bigint, { amount_micros: micros }: any) => sum + BigInt(micros), 0n)).toBe(0n);
  });

  test("is booked once, however often and in parallel the provider says so", async () => {
    const { sessionId } = await world.gives(payer, await world.asks(mother), 20);
    await Promise.all([1, 2, 3].map(() => world.hear("checkout.session.completed", { id: sessionId })));
    expect(await world.money(mother)).toEqual({ balance: 20, debt: 0, bonus: 20 });
    expect(await mails()).toHaveLength(1);
  });

  test("a repeated order with the same key opens one checkout, and another one for another person", async () => {
    const [token, other] = [await world.asks(mother), await world.asks(await world.service.signUp())];
    const key = { "idempotency-key": "k1" };
    const first = (await payer.post("gifts", { token, amount: 20 }, key)).body.payment_id;
    expect((await payer.post("gifts", { token, amount: 20 }, key)).body.payment_id).toBe(first);
    expect((await payer.post("gifts", { token: other, amount: 20 }, key)).body.payment_id).not.toBe(first);
    expect((await payer.post("top-up", { amount: 20 }, key)).body.payment_id).not.toBe(first);
  });

  test("stays with the payer if the other account was locked before the money came", async () => {
    const token = await world.asks(mother);
    const { body } = await payer.post("gifts", { token, amount: 20 });
    await sql`update customer set status = 'frozen' where id = ${mother.id}`.execute(db());
    world.stripe.pay(body.session_id);
    await world.hear("checkout.session.completed", { id: body.session_id });
    expect(await world.money(payer)).toEqual({ balance: 20, debt: 0, bonus: 0 });
    expect((await payer.get("withdrawals")).body.withdrawable).toBe("20.00");
    expect((await payer.get("gifts")).body.gifts).toMatchObject([{ state: "kept" }]);
    expect((await mother.get("gifts")).body.gifts).toEqual([]);
  });

  test("repays the beneficiary's debt first, as all incoming credit does", async () => {
    const { sessionId } = await world.paid(mother, { amount: 20 });
    await world.spend(mother, 15);
    await world.hear("charge.dispute.created", world.stripe.dispute(sessionId, "needs_response"));
    await world.hear("charge.dispute.funds_withdrawn", world.stripe.dispute(sessionId, "needs_response"));
    await sql`update customer set status = 'active' where id = ${mother.id}`.execute(db());
    await world.gives(payer, await world.asks(mother), 20);
    expect(await world.money(mother)).toEqual({ balance: 5, debt: 0, bonus: 5 });
  });
});

describe("money that goes back", () => {
  test("a dispute takes back what is unspent; the rest is the payer's debt, and both accounts are locked", async () => {
    const { sessionId } = await world.gives(payer, await world.asks(mother), 20);
    await world.spend(mother, 6);
    const dispute = world.stripe.dispute(sessionId, "needs_response");
    await world.hear("charge.dispute.created", dispute);
    await world.hear("charge.dispute.funds_withdrawn", dispute);
    await world.hear("charge.dispute.funds_withdrawn", dispute);
    expect(await world.money(mother)).toEqual({ balance: 0, debt: 0, bonus: 0 });
    expect(await world.money(payer)).toEqual({ balance: 0, debt: 6, bonus: 0 });
    expect([await world.statusOf(payer), await world.statusOf(mother)]).toEqual(["frozen", "frozen"]);
    await world.hear("charge.dispute.closed", world.stripe.dispute(sessionId, "won"));
    expect(await world.money(payer)).toEqual({ balance: 14, debt: 0, bonus: 0 });
  });

  test("credit that the beneficiary got later, as a bonus or by paying, is never returned in place of a spent gift", async () => {
    const { sessionId } = await world.gives(payer, await world.asks(mother), 20);
    await world.spend(mother, 20);
    await world.paid(mother, { package_id: "50" });
    expect(await world.money(mother)).toEqual({ balance: 55, debt: 0, bonus: 5 });
    const dispute = world.stripe.dispute(sessionId, "needs_response");
    await world.hear("charge.dispute.created", dispute);
    await world.hear("charge.dispute.funds_withdrawn", dispute);
    expect(await world.money(mother)).toEqual({ balance: 55, debt: 0, bonus: 5 });
    expect(await world.money(payer)).toEqual({ balance: 0, debt: 20, bonus: 0 });
  });

  test.each(["older", "newer"])(
    "each of two gifts to one person goes back to its payer if the %s is disputed first",
    async (first) => {
      const payers = [payer, await world.service.signUp()];
      const sessions = [];
      for (const one of payers) sessions.push((await world.gives(one, await world.asks(mother), 20)).sessionId);
      await world.spend(mother, 6);
      for (const sessionId of first === "older" ? sessions : sessions.toReversed()) {
        const dispute = world.stripe.dispute(sessionId, "needs_response");
        await world.hear("charge.dispute.created", dispute);
        await world.hear("charge.dispute.funds_withdrawn", dispute);
      }
      expect(await world.money(mother)).toEqual({ balance: 0, debt: 0, bonus: 0 });
      const owed = [];
      for (const one of payers) owed.push((await world.money(one)).debt);
      // What was spent is the older gift's.
      expect(owed).toEqual([6, 0]);
    },
  );

  test("the beneficiary cannot withdraw it, not even to a card of an own payment", async () => {
    await world.paid(mother, { amount: 20 });
    await world.spend(mother, 20);
    await world.gives(payer, await world.asks(mother), 20);
    expect((await mother.get("withdrawals")).body.withdrawable).toBe("0.00");
    expect((await mother.post("withdrawals", { amount: 5 })).status).toBe(422);
  });

  test("the payer cannot withdraw it either, and a fraud warning refunds it while most is unspent", async () => {
    const { sessionId } = await world.gives(payer, await world.asks(mother), 20);
    expect((await payer.get("withdrawals")).body.withdrawable).toBe("0.00");
    await world.hear("radar.early_fraud_warning.created", world.stripe.warn(sessionId));
    expect(sent(sessionId)).toBe(2_000);
    expect(await world.money(mother)).toEqual({ balance: 0, debt: 0, bonus: 0 });
    expect(await world.money(payer)).toEqual({ balance: 0, debt: 0, bonus: 0 });
  });

  test("own credit goes back to its own card, never to that of a payment that was given away", async () => {
    const own = await world.paid(payer, { amount: 50 });
    const gift = await world.gives(payer, await world.asks(mother), 50);
    expect((await payer.get("withdrawals")).body.withdrawable).toBe("50.00");
    expect((await payer.post("withdrawals", { amount: 50 })).status).toBe(200);
    expect([sent(own.sessionId), sent(gift.sessionId)]).toEqual([5_000, 0]);
    await world.hear("charge.dispute.created", world.stripe.dispute(gift.sessionId, "needs_response"));
    expect([await world.money(payer), await world.money(mother)]).toEqual([
      { balance: 0, debt: 0, bonus: 0 },
      { balance: 0, debt: 0, bonus: 0 },
    ]);
  });

  test("a withdrawal that fails after a gift was paid returns to its own card, never to the gift's", async () => {
    const own = await world.paid(payer, { amount: 20 });
    world.stripe.refundsAre = "pending";
    await payer.post("withdrawals", { amount: 20 });
    const gift = await world.gives(payer, await world.asks(mother), 50);
    const [refund] = world.stripe.session(own.sessionId).refunds;
    await world.hear("refund.failed", Object.assign(refund!, { status: "failed" }));
    expect((await payer.get("withdrawals")).body.withdrawable).toBe("20.00");
    world.stripe.refundsAre = "succeeded";
    expect((await payer.post("withdrawals", { amount: 20 })).status).toBe(200);
    expect([sent(gift.sessionId), await world.money(mother)]).toEqual([0, { balance: 50, debt: 0, bonus: 50 }]);
  });

  test("only the part of a gift that came back can be withdrawn", async () => {
    const gift = await world.gives(payer, await world.asks(mother), 50);
    await world.paid(payer, { amount: 20 });
    await world.hear("charge.dispute.created", world.stripe.dispute(gift.sessionId, "needs_response", 1_000));
    await world.hear("charge.dispute.closed", world.stripe.dispute(gift.sessionId, "won"));
    await sql`update customer set status = 'active'`.execute(db());
    expect(await world.money(mother)).toMatchObject({ balance: 40 });
    expect((await payer.get("withdrawals")).body.withdrawable).toBe("30.00");
    expect((await payer.post("withdrawals", { amount: 30 })).status).toBe(200);
    expect(sent(gift.sessionId)).toBe(1_000);
  });

  test("what came back of one gift is not withdrawn to the card of another one to the same person", async () => {
    const own = await world.paid(payer, { amount: 20 });
    const first = await world.gives(payer, await world.asks(mother), 50);
    const second = await world.gives(payer, await world.asks(mother), 20);
    await world.hear("charge.dispute.created", world.stripe.dispute(first.sessionId, "needs_response", 1_000));
    await world.hear("charge.dispute.closed", world.stripe.dispute(first.sessionId, "won"));
    await sql`update customer set status = 'active'`.execute(db());
    expect((await payer.post("withdrawals", { amount: 30 })).status).toBe(200);
    expect([own, first, second].map(({ sessionId }) => sent(sessionId))).toEqual([2_000, 1_000, 0]);
  });

  test("in a ring of gifts neither side can withdraw anything", async () => {
    await world.gives(payer, await world.asks(mother), 50);
    await world.gives(mother, await world.asks(payer), 50);
    for (const one of [payer, mother]) expect((await one.get("withdrawals")).body.withdrawable).toBe("0.00");
  });

  test("a spent gift is not refunded from the payer's other payments, by an operator or after a warning", async () => {
    await world.paid(payer, { amount: 50 });
    const gift = await world.gives(payer, await world.asks(mother), 50);
    await world.spend(mother, 50);
    const order = { payment: gift.paymentId, force: false, reason: "Asked for by phone" };
    await expect(operate(asOperator(world.service.ctx, "grace"), "refund", order)).rejects.toThrow(/Only \$0.00 .* unspent/);
    await world.hear("radar.early_fraud_warning.created", world.stripe.warn(gift.sessionId));
    expect(sent(gift.sessionId)).toBe(0);
    expect(await world.money(payer)).toEqual({ balance: 50, debt: 0, bonus: 0 });
  });

  test("credit that a call holds stays with the call", async () => {
    const { sessionId } = await world.gives(payer, await world.asks(mother), 20);
    const holdId = crypto.randomUUID();
    await world.service.ctx.ledger.hold(db(), { holdId, customerId: mother.id, wantMicros: 8_000_000n, leastMicros: 8_000_000n });
    const dispute = world.stripe.dispute(sessionId, "needs_response");
    await world.hear("charge.dispute.created", dispute);
    await world.hear("charge.dispute.funds_withdrawn", dispute);
    expect(await world.money(mother)).toEqual({ balance: 8, debt: 0, bonus: 8 });
    expect(await world.money(payer)).toEqual({ balance: 0, debt: 8, bonus: 0 });
    await world.service.ctx.ledger.postHold(db(), { holdId, chargeMicros: 8_000_000n, description: "Call" });
  });

  test("an operator's refund counts what a call holds as spent", async () => {
    const { paymentId } = await world.gives(payer, await world.asks(mother), 20);
    const holdId = crypto.randomUUID();
    await world.service.ctx.ledger.hold(db(), { holdId, customerId: mother.id, wantMicros: 8_000_000n, leastMicros: 8_000_000n });
    const refund = (amount?: bigint) =>
      operate(asOperator(world.service.ctx, "grace"), "refund", {
        payment: paymentId,
        amount,
        force: false,
        reason: "Asked for by phone",
      });
    await expect(refund()).rejects.toThrow(/Only \$12.00 .* unspent/);
    await refund(12_000_000n);
    expect(await world.money(mother)).toEqual({ balance: 8, debt: 0, bonus: 8 });
    expect(await world.money(payer)).toEqual({ balance: 0, debt: 0, bonus: 0 });
    await world.service.ctx.ledger.postHold(db(), { holdId, chargeMicros: 8_000_000n, description: "Call" });
  });
});

describe("abuse", () => {
  test("gives the beneficiary no tier, and counts as fresh credit on expensive calls", async () => {
    await world.gives(payer, await world.asks(mother), 50);
    const now = world.service.clock.now();
    expect(await readPaymentFacts(db(), mother.id, now)).toMatchObject({ paidPayments: 0, longSettledMicros: 0n });
    expect(await readPaymentFacts(db(), payer.id, now)).toMatchObject({ paidPayments: 1 });
    expect(await readFreshPayments(db(), mother.id, now)).toEqual([{ chargeMicros: 50_000_000n, bonusMicros: 0n }]);
    expect(await readFreshPayments(db(), payer.id, now)).toEqual([]);
  });

  test("is fresh credit only of the person who still has it", async () => {
    const { sessionId } = await world.gives(payer, await world.asks(mother), 50);
    const fresh = async (person: BillingClient) => readFreshPayments(db(), person.id, world.service.clock.now());
    await world.spend(mother, 20);
    const dispute = world.stripe.dispute(sessionId, "needs_response");
    await world.hear("charge.dispute.created", dispute);
    await world.hear("charge.dispute.funds_withdrawn", dispute);
    expect(await fresh(mother)).toEqual([{ chargeMicros: 20_000_000n, bonusMicros: 0n }]);
    expect(await fresh(payer)).toEqual([]);
    await world.hear("charge.dispute.closed", world.stripe.dispute(sessionId, "won"));
    expect(await fresh(mother)).toEqual([{ chargeMicros: 20_000_000n, bonusMicros: 0n }]);
    expect(await fresh(payer)).toEqual([{ chargeMicros: 30_000_000n, bonusMicros: 0n }]);
  });

  test("pays for every destination, unlike the free first call, until it was returned", async () => {
    const now = world.service.clock.now();
    await sql`insert into first_call (customer_id, state, decided_at, created_at) values (${mother.id}, 'granted', ${now}, ${now})
      on conflict (customer_id) do update set state = 'granted', decided_at = ${now}, next_look_at = null`.execute(db());
    expect(await hasOnlyFirstCall(db(), mother.id)).toBe(true);
    const { paymentId } = await world.gives(payer, await world.asks(mother), 20);
    expect(await hasOnlyFirstCall(db(), mother.id)).toBe(false);
    const order = { payment: paymentId, force: false, reason: "Asked for by phone" };
    await operate(asOperator(world.service.ctx, "grace"), "refund", order);
    expect(await hasOnlyFirstCall(db(), mother.id)).toBe(true);
  });

  test("comes without bonus, promo code or reward", async () => {
    await world.gives(payer, await world.asks(mother), 100);
    expect((await world.money(payer)).bonus).toBe(0);
    expect(await world.money(mother)).toEqual({ balance: 100, debt: 0, bonus: 100 });
    const order = { token: await world.asks(mother), amount: 20, promo_code: "WELCOME10" };
    const { body } = await payer.post("gifts", order);
    world.stripe.pay(body.session_id);
    await world.hear("checkout.session.completed", { id: body.session_id });
    expect((await world.money(payer)).bonus).toBe(0);
  });

  test("nobody gives to themselves", async () => {
    const { status, body } = await payer.post("gifts", { token: await world.asks(payer), amount: 20 });
    expect([status, body.reason]).toEqual([422, "gift_own"]);
  });

  test("a greeting cannot carry a link", async () => {
    const token = await world.asks(mother);
    for (const greeting of ["see evil.example", "https://evil", "call +44 20 7946 0000", "x".repeat(300)])
      expect((await payer.post("gifts", { token, amount: 20, greeting })).status).toBe(422);
  });

  test("a made-up, removed or expired link, and one of a locked account, are refused alike", async () => {
    const removed = await world.asks(mother);
    const { id } = (await mother.get("../credit-requests")).body.requests[0];
    expect((await payer.send("DELETE", `../credit-requests/${id}`)).status).toBe(404);
    await sql`delete from credit_request where id = ${id}`.execute(db());
    const locked = await world.asks(await world.service.signUp());
    await sql`update customer set status = 'frozen' where id in (select customer_id from credit_request)`.execute(db());
    for (const token of [removed, locked, "x".repeat(64), "A".repeat(64)]) {
      const { status, body } = await payer.post("../credit-requests/open", { token });
      expect([status, body.code]).toEqual([422, "link_expired"]);
      expect((await payer.post("gifts", { token, amount: 20 })).body.code).toBe("link_expired");
    }
    const late = await world.asks(payer);
    world.service.clock.advance(31 * DAY_MS);
    expect((await mother.post("../credit-requests/open", { token: late })).body.code).toBe("link_expired");
  });

  test("a link is replaced in one step: at once or never, and once however often it is pressed", async () => {
    const [old] = [await world.asks(mother), await world.asks(mother), await world.asks(mother)];
    const before: { id: string; url: string }[] = (await mother.get("../credit-requests")).body.requests;
    const replaces = before.find(({ url }) => url.endsWith(String(old)))?.id;
    const refused = await mother.post("../credit-requests", { replaces, note: "see evil.example" });
    expect(refused.status).toBe(422);
    expect((await payer.post("../credit-requests/open", { token: old })).status).toBe(200);
    const pressed = await Promise.all([1, 2].map(() => mother.post("../credit-requests", { replaces, note: "For Grandma" })));
    expect(pressed.map(({ status }) => status)).toEqual([200, 200]);
    expect(pressed[0]?.body).toEqual(pressed[1]?.body);
    expect((await payer.post("../credit-requests/open", { token: old })).body.code).toBe("link_expired");
    const { requests } = (await mother.get("../credit-requests")).body;
    expect(requests).toHaveLength(3);
    expect(requests).toContainEqual(expect.objectContaining({ id: pressed[0]?.body.id, note: "For Grandma" }));
    expect((await mother.post("../credit-requests", { replaces: pressed[0]?.body.id })).status).toBe(200);
    expect((await mother.post("../credit-requests", { replaces })).body.reason).toBe("credit_request_unknown");
    expect((await payer.post("../credit-requests", { replaces: requests[0].id })).status).toBe(404);
  });

  test("at most three links at a time, and only with a confirmed address", async () => {
    for (let made = 0; made < 3; made += 1) await world.asks(mother);
    expect((await mother.post("../credit-requests", {})).body.reason).toBe("credit_requests_full");
    const unverified = await world.service.signUp({ emailVerified: false });
    expect((await unverified.post("../credit-requests", {})).body.reason).toBe("credit_request_unverified");
    expect((await unverified.post("gifts", { token: await world.asks(payer), amount: 20 })).body.reason).toBe("gift_unverified");
  });
});

test("a payer's gifts are limited in a day, and the payer's own limits hold", async () => {
  const limited = await BillingWorld.start({ limitsScale: 1 });
  try {
    const generous = await limited.service.signUp();
    const token = await limited.asks(await limited.service.signUp());
    const answers = [];
    for (let times = 0; times < 6; times += 1) {
      const { status, body } = await generous.post("gifts", { token, amount: 5 });
      answers.push(status);
      if (status !== 200) break;
      limited.stripe.pay(body.session_id);
      await limited.hear("checkout.session.completed", { id: body.session_id });
      limited.service.clock.advance(70 * 60_000);
    }
    expect(answers).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await (await limited.service.signUp()).post("gifts", { token, amount: 200 })).status).toBe(429);
  } finally {
    await limited.close();
  }
});
