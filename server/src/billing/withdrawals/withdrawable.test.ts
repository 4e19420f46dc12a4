import { describe, expect, test } from "vitest";
import type { Balance } from "../../ledger/ledger.ts";
import type { Invitation } from "../../promotions/promotions.ts";
import type { Payment, PaymentLeft } from "../record/payment.store.ts";
import { bonusToReturn, returnableCredit, splitOverPayments, withdrawable } from "../record/withdrawable.ts";

const DOLLAR = 1_000_000n;

function payment(id: string, dollars: bigint, change: Partial<Payment> = {}): Payment {
  const amounts = { charge_micros: dollars * DOLLAR, stayed_micros: dollars * DOLLAR, bonus_micros: 0n };
  return { id, ...amounts, refunded_micros: 0n, disputed_micros: 0n, ...change } as Payment;
}

function standing(balance: Partial<Balance>, invitation: Invitation | null = null, inviterSpentMicros = 0n) {
  const free = balance.withdrawableMicros ?? 100n * DOLLAR;
  const all = { balanceMicros: free, heldMicros: 0n, availableMicros: free, debtMicros: 0n, bonusMicros: 0n };
  return { balance: { ...all, withdrawableMicros: free, ...balance }, invitation, inviterSpentMicros };
}

const share = (of: Payment, dollars: bigint) => ({ payment: of, amountMicros: dollars * DOLLAR });

/** A payment of which this much is the payer's own to return. */
function left(of: Payment, dollars: bigint): PaymentLeft {
  return { payment: of, returnableMicros: of.stayed_micros, ownMicros: dollars * DOLLAR };
}

describe("an amount split over payments", () => {
  test("uses them in order, each up to its remaining amount, without empty shares", () => {
    const [gone, first, second, third] = [payment("gone", 0n), payment("1", 10n), payment("2", 7n), payment("3", 5n)];
    const all = [left(gone, 0n), left(first, 10n), left(second, 7n), left(third, 5n)];
    expect(splitOverPayments(12n * DOLLAR, all)).toEqual([share(first, 10n), share(second, 2n)]);
    expect(splitOverPayments(17n * DOLLAR, all)).toEqual([share(first, 10n), share(second, 7n)]);
  });

  test("skips what was given away, although it has not left the payment", () => {
    const [given, other] = [payment("1", 10n), payment("2", 5n)];
    expect(splitOverPayments(12n * DOLLAR, [left(given, 0n), left(other, 5n)])).toEqual([share(other, 5n)]);
  });
});

describe("an invitation's reward", () => {
  const invitation = { paymentId: "paid", inviterId: "ada", invitedMicros: 2n * DOLLAR, inviterMicros: 2n * DOLLAR };
  const paid = payment("paid", 20n);
  const owner = standing({ bonusMicros: 2n * DOLLAR }, invitation, DOLLAR);

  test("is revoked if too little of its payment is left, and the inviter's spent part is withheld", () => {
    expect(bonusToReturn(owner, [share(paid, 11n)])).toEqual({ alongMicros: 2n * DOLLAR, keptMicros: DOLLAR });
  });

  test("is kept while enough of its payment is left", () => {
    expect(bonusToReturn(owner, [share(paid, 10n)])).toEqual({ alongMicros: 0n, keptMicros: 0n });
  });

  test("is unaffected by other payments", () => {
    expect(bonusToReturn(owner, [share(payment("other", 20n), 20n)])).toEqual({ alongMicros: 0n, keptMicros: 0n });
  });

  test("has its spent part withheld from paid credit", () => {
    const spent = standing({ bonusMicros: DOLLAR / 2n }, invitation, DOLLAR);
    expect(bonusToReturn(spent, [share(paid, 20n)])).toEqual({ alongMicros: DOLLAR / 2n, keptMicros: (5n * DOLLAR) / 2n });
  });
});

describe("refundable credit", () => {
  const bonused = payment("1", 50n, { bonus_micros: 5n * DOLLAR });

  test("is the paid credit minus its spent bonus", () => {
    expect(returnableCredit(standing({ withdrawableMicros: 50n * DOLLAR }), [share(bonused, 50n)])).toEqual({
      freeMicros: 45n * DOLLAR,
      keptMicros: 5n * DOLLAR,
    });
  });

  test("is never below zero", () => {
    expect(returnableCredit(standing({ withdrawableMicros: 3n * DOLLAR }), [share(bonused, 50n)]).freeMicros).toBe(0n);
  });

  test("leaves a running call's hold intact even if bonus is taken back", () => {
    const held = { bonusMicros: 5n * DOLLAR, withdrawableMicros: 50n * DOLLAR, availableMicros: 45n * DOLLAR };
    expect(returnableCredit(standing(held), [share(bonused, 50n)]).freeMicros).toBe(40n * DOLLAR);
  });
});

test("the withdrawable amount is rounded down to whole cents and limited by the remaining payments", () => {
  expect(withdrawable(standing({ withdrawableMicros: 9_999_999n }), [left(payment("1", 20n), 20n)]).maxMicros).toBe(9_990_000n);
  expect(withdrawable(standing({ withdrawableMicros: 30n * DOLLAR }), [left(payment("1", 20n), 20n)]).maxMicros).toBe(
    20n * DOLLAR,
  );
});
