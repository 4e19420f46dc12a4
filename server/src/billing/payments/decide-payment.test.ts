import { describe, expect, test } from "vitest";
import { decidePayment } from "./decide-payment.ts";
import type { Payment } from "../record/payment.store.ts";
import type { CheckoutState } from "./read-checkout-state.ts";

const open = { id: "ours", status: "open", charge_micros: 10_000_000n, currency: "usd" } as Payment;
const unpaid = {
  paymentId: "ours",
  sessionStatus: "open",
  paid: false,
  amountCents: 1_000,
  currency: "usd",
  live: false,
  paymentIntentStatus: null,
} as CheckoutState;
const paid: CheckoutState = { ...unpaid, sessionStatus: "complete", paid: true, paymentIntentStatus: "succeeded" };

describe("a paid session", () => {
  test("credits its payment once", () => {
    expect(decidePayment(open, paid, false)).toEqual({ status: "paid", credit: true, ours: true, problem: null });
    const again = decidePayment({ ...open, status: "paid" }, paid, false);
    expect(again).toEqual({ status: "paid", credit: false, ours: true, problem: null });
  });

  test.each<[string, Partial<CheckoutState>]>([
    ["another payment", { paymentId: "theirs" }],
    ["the wrong mode", { live: true }],
    ["another currency", { currency: "eur" }],
    ["another amount", { amountCents: 999 }],
    ["another amount", { amountCents: 1_001 }],
    ["another amount", { amountCents: null }],
  ])("of %s credits nothing, awaits review and leaves a paid payment paid", (problem, change) => {
    const nothing = { credit: false, ours: false, problem: expect.stringContaining(problem) };
    expect(decidePayment(open, { ...paid, ...change }, false)).toEqual({ ...nothing, status: "review" });
    expect(decidePayment({ ...open, status: "paid" }, { ...paid, ...change }, false)).toEqual({ ...nothing, status: "paid" });
  });

  test("in test mode never counts in live mode", () => {
    expect(decidePayment(open, paid, true)).toMatchObject({ status: "review", credit: false });
    expect(decidePayment(open, { ...paid, live: true }, true)).toMatchObject({ status: "paid", credit: true });
  });
});

describe("an unpaid session", () => {
  test.each<[string, Partial<CheckoutState>]>([
    ["open", {}],
    ["pending", { sessionStatus: "complete", paymentIntentStatus: "processing" }],
    ["pending", { sessionStatus: "complete", paymentIntentStatus: null }],
    ["open", { sessionId: null, sessionStatus: "complete", paymentIntentStatus: "requires_action" }],
    ["open", { sessionStatus: "open", paymentIntentStatus: "requires_payment_method" }],
    ["failed", { sessionStatus: "complete", paymentIntentStatus: "requires_payment_method" }],
    ["failed", { sessionStatus: "complete", paymentIntentStatus: "canceled" }],
    ["expired", { sessionStatus: "expired" }],
  ])("leaves its payment %s: %j", (status, change) => {
    const nothing = { credit: false, ours: false, problem: null };
    expect(decidePayment(open, { ...unpaid, ...change }, false)).toEqual({ ...nothing, status });
  });

  test("does not undo a paid payment, and is reported as a mismatch", () => {
    for (const sessionStatus of ["open", "expired"] as const)
      expect(decidePayment({ ...open, status: "paid" }, { ...unpaid, sessionStatus }, false)).toEqual({
        status: "paid",
        credit: false,
        ours: false,
        problem: "no longer paid",
      });
  });
});
