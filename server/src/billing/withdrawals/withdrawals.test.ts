import { RETURNABLE_DAYS } from "@farline/contract/constants.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { withdrawalQuote, withdrawalResponse, withdrawalsResponse } from "@farline/contract/billing.ts";
import fc from "fast-check";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { BillingClient } from "../../../test/worlds/billing-service.ts";
import { BillingWorld } from "../../../test/worlds/billing-world.ts";
import { billingJobs } from "../billing.ts";
import { readPaymentFacts } from "../../risk/risk.ts";

let world: BillingWorld;
let caller: BillingClient;
beforeEach(async () => {
  world = await BillingWorld.start();
  caller = await world.service.signUp();
});
afterEach(() => world.close());

async function withdrawable(): Promise<string> {
  return withdrawalsResponse.parse((await caller.get("withdrawals")).body).withdrawable;
}

async function withdraw(amount: string | number, headers: Record<string, string> = {}) {
  return caller.post("withdrawals", { amount }, headers);
}

/** The cents that the provider refunded for a payment. */
function sent(sessionId: string): number {
  return world.stripe
    .session(sessionId)
    .refunds.filter(({ status }) => status !== "failed")
    .reduce((sum, { amount }) => sum + amount, 0);
}

describe("a withdrawal", () => {
  test("debits unused credit and refunds it to the card that paid", async () => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    await world.spend(caller, 5.5);
    expect(await withdrawable()).toBe("14.50");
    const { body } = await withdraw("10");
    expect(withdrawalResponse.parse(body)).toMatchObject({
      balance: "4.50",
      withdrawal: { amount: "10.00", parts: [{ amount: "10.00", status: "succeeded", card: { brand: "visa", last4: "4242" } }] },
    });
    expect(sent(sessionId)).toBe(1_000);
    expect(await world.lines(caller)).toEqual(["top_up", "call", "withdrawal"]);
    expect(await withdrawable()).toBe("4.50");
  });

  test("is possible for as long as the terms say", async () => {
    await world.paid(caller, { amount: 20 });
    world.service.clock.advance(RETURNABLE_DAYS * DAY_MS - 60_000);
    expect(await withdrawable()).toBe("20.00");
    world.service.clock.advance(120_000);
    expect(await withdrawable()).toBe("0.00");
  });

  test("bought credit does not expire, as the terms say: it is there after ten years of every job", async () => {
    await world.paid(caller, { amount: 20 });
    world.service.clock.advance(3_650 * DAY_MS);
    for (const job of billingJobs(world.service.ctx)) await job.run(new AbortController().signal);
    expect(await world.money(caller)).toEqual({ balance: 20, debt: 0, bonus: 0 });
  });

  test("spans several payments, newest first, and never refunds more than a payment's amount", async () => {
    const first = await world.paid(caller, { amount: 10 });
    const second = await world.paid(caller, { amount: 7 });
    const { body } = await withdraw(12);
    expect(body.withdrawal.parts.map((part: { amount: string }) => part.amount)).toEqual(["7.00", "5.00"]);
    expect([sent(first.sessionId), sent(second.sessionId)]).toEqual([500, 700]);
  });

  test("excludes bonus and takes back the payment's share of it", async () => {
    await world.paid(caller, { package_id: "50" });
    expect(await world.money(caller)).toEqual({ balance: 55, debt: 0, bonus: 5 });
    expect(await withdrawable()).toBe("50.00");
    await withdraw(20);
    expect(await world.money(caller)).toEqual({ balance: 33, debt: 0, bonus: 3 });
    await withdraw(30);
    expect(await world.money(caller)).toEqual({ balance: 0, debt: 0, bonus: 0 });
  });

  test("withholds spent bonus, however the withdrawal is split", async () => {
    await world.paid(caller, { package_id: "50" });
    await world.spend(caller, 5);
    expect(await withdrawable()).toBe("45.00");
    expect((await caller.get("withdrawals")).body.bonus_kept).toBe("5.00");
    await withdraw(40);
    // One of the remaining ten dollars is withheld for their bonus.
    expect(await world.money(caller)).toEqual({ balance: 6, debt: 0, bonus: 0 });
    expect(await withdrawable()).toBe("5.40");
    await withdraw("5.40");
    expect(await world.money(caller)).toEqual({ balance: 0.06, debt: 0, bonus: 0 });
    expect((await withdraw(1)).status).toBe(422);
  });

  test("withholds nothing for the bonus of earlier, spent credit", async () => {
    await world.paid(caller, { package_id: "50" });
    await world.spend(caller, 55);
    await world.paid(caller, { amount: 10 });
    expect((await caller.get("withdrawals")).body).toMatchObject({ withdrawable: "10.00", bonus_kept: "0.00" });
  });

  test("that fails also restores the bonus taken back", async () => {
    await world.paid(caller, { package_id: "50" });
    await world.spend(caller, 5);
    world.stripe.refundsAre = "refused";
    await withdraw(45);
    expect(await world.money(caller)).toEqual({ balance: 50, debt: 0, bonus: 0 });
    expect(await withdrawable()).toBe("45.00");
  });

  test("does not touch a running call's hold", async () => {
    await world.paid(caller, { amount: 10 });
    const { ledger } = world.service.ctx;
    const hold = { holdId: crypto.randomUUID(), customerId: caller.id, wantMicros: 4_000_000n, leastMicros: 1n };
    await ledger.hold(world.database.handle.db, hold);
    expect(await withdrawable()).toBe("6.00");
    expect((await withdraw(7)).body.message).toBe("You can withdraw at most $6.00");
  });

  test("does not touch what a family member's call holds", async () => {
    await world.paid(caller, { amount: 10 });
    const member = await world.service.signUp();
    const { ledger } = world.service.ctx;
    const holdId = crypto.randomUUID();
    const hold = { holdId, customerId: caller.id, callerId: member.id, wantMicros: 4_000_000n, leastMicros: 1n };
    await ledger.hold(world.database.handle.db, hold);
    expect((await withdraw(7)).status).toBe(422);
    await withdraw(6);
    await ledger.postHold(world.database.handle.db, { holdId, chargeMicros: 4_000_000n, description: "Call" });
    expect(await world.money(caller)).toEqual({ balance: 0, debt: 0, bonus: 0 });
  });

  test("leaves a running call's hold intact even if it holds the bonus to take back", async () => {
    await world.paid(caller, { package_id: "50" });
    const { ledger } = world.service.ctx;
    const hold = { holdId: crypto.randomUUID(), customerId: caller.id, wantMicros: 10_000_000n, leastMicros: 1n };
    await ledger.hold(world.database.handle.db, hold);
    expect(await withdrawable()).toBe("40.50");
    await withdraw(40);
    expect(await world.money(caller)).toEqual({ balance: 11, debt: 0, bonus: 1 });
  });

  test("repeated with one key is made once, and is refused with a different amount", async () => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    const key = { "idempotency-key": "wish-1" };
    const answers = await Promise.all([withdraw(5, key), withdraw(5, key), withdraw(5, key)]);
    expect(new Set(answers.map(({ body }) => body.withdrawal.id)).size).toBe(1);
    expect(sent(sessionId)).toBe(500);
    expect((await withdraw(6, key)).status).toBe(409);
    expect(await world.money(caller)).toMatchObject({ balance: 15 });
  });

  test("never exceeds the credit with ten concurrent requests", async () => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    const answers = await Promise.all(Array.from({ length: 10 }, () => withdraw(6)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(sent(sessionId)).toBe(1_800);
    expect(await world.money(caller)).toMatchObject({ balance: 2, debt: 0 });
  });

  test.each([
    ["0", "Withdraw at least $1.00, or all of it"],
    ["-1", "Enter an amount in dollars, for example 10 or 12.50"],
    ["1.005", "Enter an amount in dollars, for example 10 or 12.50"],
    ["NaN", "Enter an amount in dollars, for example 10 or 12.50"],
    ["99999999", "You can withdraw at most $20.00"],
    ["20.01", "You can withdraw at most $20.00"],
    ["0.99", "Withdraw at least $1.00, or all of it"],
  ])("of %s dollars is refused: %s", async (amount, message) => {
    const { sessionId } = await world.paid(caller, { amount: 20 });
    const { status, body } = await withdraw(amount);
    expect([status, body.message]).toEqual([422, message]);
    expect(sent(sessionId)).toBe(0);
    expect(await world.money(caller)).toMatchObject({ balance: 20 });
  });

  test("may be below the minimum if it takes everything", async () => {
    await world.paid(caller, { amount: 5 });
    await world.spend(caller, 4.605);
    expect(await withdrawable()).toBe("0.39");
    expect((await withdraw("0.39")).status).toBe(200);
    expect(await world.money(caller)).toMatchObject({ balance: 0.005 });
  });

  test("is refused for old payments", async () => {
    await world.paid(caller, { amount: 10 });
    world.service.clock.advance(181 * DAY_MS);
    expect(await withdrawable()).toBe("0.00");
    expect((await withdraw(5)).body.message).toBe("There is no credit that can be withdrawn");
  });

  test("is refused to an account that was frozen after the request came", async () => {
    await world.paid(caller, { amount: 10 });
    await sql`update customer set status = 'frozen' where id = ${caller.id}`.execute(world.database.handle.db);
    for (const late of [withdraw(5), caller.get("withdrawals/quote?amount=5")])
      expect((await late).body.code).toBe("account_frozen");
    expect(await world.lines(caller)).toEqual(["top_up"]);
  });

  test("is not listed for another customer", async () => {
    await world.paid(caller, { amount: 10 });
    await withdraw(5);
    const other = await world.service.signUp();
    expect((await other.get("withdrawals")).body).toMatchObject({ withdrawable: "0.00", withdrawals: { data: [] } });
    const mine = await caller.get("withdrawals?limit=1");
    expect(mine.body.withdrawals).toMatchObject({ data: [{ amount: "5.00" }], next_cursor: null });
  });
});

test("a mostly withdrawn payment does not count towards a tier", async () => {
  const facts = () => readPaymentFacts(world.database.handle.db, caller.id, world.service.clock.now());
  for (const amount of [20, 20]) await world.paid(caller, { amount });
  expect(await facts()).toMatchObject({ paidPayments: 2 });
  await withdraw(16);
  expect(await facts()).toMatchObject({ paidPayments: 1 });
  await withdraw("19.99");
  world.service.clock.advance(50 * DAY_MS);
  expect(await facts()).toMatchObject({ paidPayments: 0, authenticatedPayments: 0, longSettledMicros: 0n });
});

describe("a quote", () => {
  const quote = async (amount: string | number) => (await caller.get(`withdrawals/quote?amount=${amount}`)).body;
  const ofPackage = { amount: "20.00", balance: "55.00", bonus: "2.00", spent_bonus: "0.00", balance_after: "33.00" };

  test("says card, bonus and balance after, and changes nothing", async () => {
    await world.paid(caller, { package_id: "50" });
    const cards = [{ amount: "20.00", card: { brand: "visa", last4: "4242" } }];
    expect(withdrawalQuote.parse(await quote(20))).toEqual({ ...ofPackage, parts: cards });
    expect(await world.money(caller)).toEqual({ balance: 55, debt: 0, bonus: 5 });
    expect(await world.lines(caller)).toEqual(["top_up", "bonus"]);
    expect((await caller.get("withdrawals")).body.withdrawals.data).toEqual([]);
  });

  test("is refused as the withdrawal would be", async () => {
    await world.paid(caller, { amount: 20 });
    expect((await quote("20.01")).message).toBe("You can withdraw at most $20.00");
    expect((await quote("0")).message).toBe("Withdraw at least $1.00, or all of it");
  });

  test("binds: a withdrawal that would take more bonus than was shown is refused", async () => {
    await world.paid(caller, { package_id: "50" });
    const { body } = await caller.post("withdrawals", { amount: 20, bonus_shown: "1.99" });
    expect(body).toMatchObject({ code: "conflict", message: "The figures have changed meanwhile. Look at them again." });
    expect(await world.money(caller)).toEqual({ balance: 55, debt: 0, bonus: 5 });
    expect((await caller.post("withdrawals", { amount: 20, bonus_shown: "2.00" })).status).toBe(200);
  });

  test("of any history is what the withdrawal then does", async () => {
    const dollars = fc.integer({ min: 100, max: 6_000 }).map((cents) => cents / 100);
    const step = fc.oneof(
      fc.constantFrom("10", "20", "50").map((id) => ({ buys: id })),
      fc.integer({ min: 5, max: 40 }).map((amount) => ({ pays: amount })),
      fc.integer({ min: 1, max: 9_000_000 }).map((micros) => ({ spends: micros / 1e6 })),
      dollars.map((amount) => ({ returns: amount })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), dollars, async (history, amount) => {
        caller = await world.service.signUp();
        for (const did of history)
          if ("buys" in did) await world.paid(caller, { package_id: did.buys });
          else if ("pays" in did) await world.paid(caller, { amount: did.pays });
          else if ("returns" in did) await withdraw(did.returns);
          else if ((await world.money(caller)).balance >= did.spends) await world.spend(caller, did.spends);
        const before = await world.money(caller);
        const said = await caller.get(`withdrawals/quote?amount=${amount}`);
        expect(await world.money(caller)).toEqual(before);
        const done = await withdraw(amount);
        expect(done.status).toBe(said.status);
        if (done.status !== 200) {
          expect(done.body.message).toBe(said.body.message);
          return;
        }
        const after = await world.money(caller);
        const parts = done.body.withdrawal.parts.map(({ amount: of, card }: any) => ({ amount: of, card }));
        expect(said.body).toMatchObject({ parts, balance_after: done.body.balance });
        const [bonus, spent] = [Number(said.body.bonus), Number(said.body.spent_bonus)];
        expect(before.bonus - after.bonus).toBeCloseTo(bonus, 6);
        expect(before.balance - after.balance).toBeCloseTo(amount + bonus + spent, 6);
      }),
      { numRuns: 15 },
    );
  });
});

test("what returned from a gift in fractions of a cent goes back to cards in whole cents", async () => {
  const friend = await world.service.signUp();
  await world.paid(caller, { amount: 10 });
  const { sessionId } = await world.gives(caller, await world.asks(friend), 20);
  await world.spend(friend, 1.234567);
  const dispute = world.stripe.dispute(sessionId, "needs_response");
  await world.hear("charge.dispute.created", dispute);
  await world.hear("charge.dispute.closed", world.stripe.dispute(sessionId, "won"));
  await world.database.handle.pool.query("update customer set status = 'active'");
  const { body } = await withdraw(20);
  expect(body.withdrawal.parts).toMatchObject([{ amount: "18.76" }, { amount: "1.24" }]);
});

describe("a pending refund", () => {
  test("is returned to the balance if the provider refuses it", async () => {
    await world.paid(caller, { package_id: "20" });
    world.stripe.refundsAre = "refused";
    const { body } = await withdraw(10);
    expect(body.withdrawal.parts[0].status).toBe("failed");
    expect(await world.money(caller)).toEqual({ balance: 21, debt: 0, bonus: 1 });
    world.stripe.refundsAre = "succeeded";
    expect((await withdraw(20)).status).toBe(200);
  });

  test("is returned if the bank rejects it days later, even if the event is lost", async () => {
    const { sessionId } = await world.paid(caller, { amount: 10 });
    world.stripe.refundsAre = "pending";
    const { body } = await withdraw(10);
    expect(body.withdrawal.parts[0].status).toBe("pending");
    expect(await world.money(caller)).toMatchObject({ balance: 0 });
    world.stripe.refundTo(sessionId, 0);
    world.service.clock.advance(DAY_MS);
    await world.service.runJob("push-refunds");
    expect(await world.money(caller)).toMatchObject({ balance: 10 });
    expect((await caller.get("withdrawals")).body.withdrawals.data[0].parts[0].status).toBe("failed");
  });

  test.each([
    [{ status: "pending", pending_reason: "processing" }, "processing", "bank"],
    [{ status: "pending", pending_reason: "charge_pending" }, "charge_pending", "bank"],
    [{ status: "pending", pending_reason: "insufficient_funds" }, "insufficient_funds", "service"],
    [{ status: "pending", pending_reason: "new_word" }, "new_word", "bank"],
    [{ status: "pending" }, null, "bank"],
    [{ status: "requires_action", pending_reason: "processing" }, "requires_action", "customer"],
    [{ status: "succeeded" }, null, null],
    [{ status: "failed" }, null, null],
    [{ status: "canceled" }, null, null],
  ] as const)(
    "in the state %j keeps the reason %s, and the customer reads that it waits for: %s",
    async (state, reason, whom) => {
      const { sessionId } = await world.paid(caller, { amount: 10 });
      world.stripe.refundsAre = "pending";
      await withdraw(10);
      const [refund] = world.stripe.session(sessionId).refunds;
      await world.hear("refund.updated", Object.assign(refund!, { pending_reason: "insufficient_funds" }));
      await world.hear("refund.updated", Object.assign(refund!, { pending_reason: undefined }, state));
      const { rows } = await world.database.handle.pool.query("select pending_reason from refund");
      expect(rows).toEqual([{ pending_reason: reason }]);
      const { withdrawals } = withdrawalsResponse.parse((await caller.get("withdrawals")).body);
      expect(withdrawals.data[0]?.parts).toEqual([expect.objectContaining({ waits_for: whom })]);
      expect(JSON.stringify(withdrawals)).not.toContain("new_word");
    },
  );

  test("is sent once even if the provider's response was lost", async () => {
    const { sessionId } = await world.paid(caller, { amount: 10 });
    world.stripe.dropNext = 3;
    const { body } = await withdraw(10);
    expect(body.withdrawal.parts[0].status).toBe("ordered");
    for (let hour = 0; hour < 3; hour++) {
      world.service.clock.advance(60 * 60 * 1000);
      await world.service.runJob("push-refunds");
    }
    expect(sent(sessionId)).toBe(1_000);
    expect((await caller.get("withdrawals")).body.withdrawals.data[0].parts[0].status).toBe("succeeded");
    expect(await world.money(caller)).toMatchObject({ balance: 0 });
  });

  test("is sent after a provider outage, or given up after three days", async () => {
    await world.paid(caller, { amount: 10 });
    world.stripe.failNext = 3;
    await withdraw(4);
    world.service.clock.advance(60 * 1000);
    await world.service.runJob("push-refunds");
    expect(await world.money(caller)).toMatchObject({ balance: 6 });
    expect((await caller.get("withdrawals")).body.withdrawals.data[0].parts[0].status).toBe("succeeded");

    world.stripe.failNext = 3;
    await withdraw(3);
    world.service.clock.advance(4 * DAY_MS);
    await world.service.runJob("push-refunds");
    expect((await caller.get("withdrawals")).body.withdrawals.data[0].parts[0].status).toBe("failed");
    expect(await world.money(caller)).toMatchObject({ balance: 6 });
  });
});

test("withdrawals are limited to three a day", async () => {
  const strict = await BillingWorld.start({ limitsScale: 1 });
  const person = await strict.service.signUp();
  await strict.paid(person, { amount: 20 });
  for (let time = 0; time < 3; time++) expect((await person.post("withdrawals", { amount: 2 })).status).toBe(200);
  const fourth = await person.post("withdrawals", { amount: 2 });
  expect([fourth.status, fourth.headers["retry-after"]]).toEqual([429, String(DAY_MS / 1000)]);
  expect(await strict.money(person)).toMatchObject({ balance: 14 });
  await strict.close();
});
