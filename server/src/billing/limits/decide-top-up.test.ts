import { NO_TERMS } from "@farline/domain/business/customer-terms.ts";
import { DAY_MS, HOUR_MS } from "@farline/domain/durations.ts";
import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { decideTopUp, type PayerHistory } from "./decide-top-up.ts";
import { TOP_UP_LIMITS } from "@farline/domain/business/top-up-limits.ts";

const now = new Date("2026-06-15T12:00:00Z");
const ago = (ms: number) => new Date(now.getTime() - ms);
const dollars = (amount: number) => BigInt(Math.round(amount * 1e6));

const stranger: PayerHistory = {
  createdAt: ago(HOUR_MS),
  emailVerified: true,
  everDisputed: false,
  terms: NO_TERMS,
  authenticatedPayments: 0,
  paidPayments: 0,
  longSettledMicros: 0n,
  recentlyPaid: [],
  open: [],
  checkouts: [],
  declines: [],
};
const known: PayerHistory = { ...stranger, createdAt: ago(8 * DAY_MS), paidPayments: 2, authenticatedPayments: 1 };

function decide(history: PayerHistory, amount: number, scale = 1) {
  return decideTopUp(history, { amountMicros: dollars(amount), now, scale, limits: TOP_UP_LIMITS });
}

describe("amounts", () => {
  test("a new payer may choose any quick amount, but only $100 a day", () => {
    for (const amount of [5, 10, 20, 50, 100]) expect(decide(stranger, amount).allowed).toBe(true);
    const paid = { ...stranger, recentlyPaid: [{ at: ago(HOUR_MS), amountMicros: dollars(60) }] };
    expect(decide(paid, 40).allowed).toBe(true);
    expect(decide(paid, 50)).toMatchObject({
      reason: "top_up_limit_day_left",
      params: { limit: "100.00", left: "40.00" },
      retryAfterSeconds: 23 * 3600,
    });
  });

  test("the refusal names the remaining amount only if it is at least the minimum top-up", () => {
    const paid = (amount: number) => ({ ...stranger, recentlyPaid: [{ at: ago(HOUR_MS), amountMicros: dollars(amount) }] });
    expect(decide(paid(95), 10)).toMatchObject({ reason: "top_up_limit_day_left", params: { limit: "100.00", left: "5.00" } });
    expect(decide(paid(95.01), 10)).toMatchObject({ reason: "top_up_limit_day", params: { limit: "100.00" } });
  });

  test("the weekly limit applies too", () => {
    const days = [1.5, 3].map((day) => ({ at: ago(day * DAY_MS), amountMicros: dollars(75) }));
    expect(decide({ ...stranger, recentlyPaid: days }, 5)).toMatchObject({
      reason: "top_up_limit_week",
      params: { limit: "150.00" },
    });
    expect(decide({ ...known, recentlyPaid: days }, 100).allowed).toBe(true);
  });

  test("an abandoned checkout is closed first instead of counting", () => {
    const left = { ...stranger, open: [{ id: "a", amountMicros: dollars(100) }] };
    expect(decide(left, 10)).toEqual({ allowed: false, closeFirst: ["a"] });
    expect(decide({ ...stranger, open: [{ id: "a", amountMicros: dollars(50) }] }, 50).allowed).toBe(true);
  });

  property.prop([fc.integer({ min: 5, max: 500 }), fc.array(fc.integer({ min: 5, max: 100 }), { maxLength: 10 })])(
    "payments within a day never exceed the daily limit",
    (requestedDollars, before) => {
      const recentlyPaid = before.map((amount) => ({ at: ago(HOUR_MS), amountMicros: dollars(amount) }));
      const sum = recentlyPaid.reduce((total, { amountMicros }) => total + amountMicros, dollars(requestedDollars));
      if (decide({ ...stranger, recentlyPaid }, requestedDollars).allowed)
        expect(sum <= TOP_UP_LIMITS.new.perDayMicros).toBe(true);
    },
  );
});

describe("card testing", () => {
  const declined = (count: number, card: (index: number) => string | null, everyMs: number) => ({
    ...stranger,
    declines: Array.from({ length: count }, (_, index) => ({ at: ago((count - index) * everyMs), card: card(index) })),
  });

  test("five declines within an hour block payments for a day", () => {
    expect(
      decide(
        declined(4, () => "same", 60_000),
        10,
      ).allowed,
    ).toBe(true);
    expect(
      decide(
        declined(5, () => "same", 60_000),
        10,
      ),
    ).toMatchObject({
      reason: "payments_declined",
      retryAfterSeconds: 24 * 3600 - 60,
    });
    expect(
      decide(
        declined(5, () => "same", 20 * 60_000),
        10,
      ).allowed,
    ).toBe(true);
  });

  test("three different declined cards in a day block payments", () => {
    expect(decide(declined(3, String, 5 * HOUR_MS), 10).allowed).toBe(false);
    expect(
      decide(
        declined(3, () => null, 5 * HOUR_MS),
        10,
      ).allowed,
    ).toBe(true);
    expect(decide(declined(3, String, 13 * HOUR_MS), 10).allowed).toBe(true);
  });

  test("too many checkouts in an hour or a day are refused", () => {
    const started = (count: number, everyMs: number) => ({
      ...stranger,
      checkouts: Array.from({ length: count }, (_, index) => ago(index * everyMs)),
    });
    expect(decide(started(4, 1000), 10).allowed).toBe(true);
    expect(decide(started(5, 1000), 10)).toMatchObject({ reason: "checkouts_too_often" });
    expect(decide(started(10, HOUR_MS), 10).allowed).toBe(false);
  });

  test("a refused payment is allowed at the reported time", () => {
    const times = (count: number, at: Date) => Array.from({ length: count }, () => at);
    const checkouts = (count: number, at: Date) => decide({ ...stranger, checkouts: times(count, at) }, 10).allowed;
    expect([checkouts(5, ago(HOUR_MS - 1)), checkouts(5, ago(HOUR_MS))]).toEqual([false, true]);
    expect([checkouts(10, ago(DAY_MS - 1)), checkouts(10, ago(DAY_MS))]).toEqual([false, true]);
    const declines = (at: Date) =>
      decide({ ...stranger, declines: times(5, at).map((one) => ({ at: one, card: null })) }, 10).allowed;
    expect([declines(ago(DAY_MS - 1)), declines(ago(DAY_MS))]).toEqual([false, true]);
    // The first of the five is one hour before the last.
    expect(
      decide(
        declined(5, () => "same", HOUR_MS / 4),
        10,
      ).allowed,
    ).toBe(true);
    const paid = (at: Date) => decide({ ...stranger, recentlyPaid: [{ at, amountMicros: dollars(100) }] }, 10).allowed;
    expect([paid(ago(DAY_MS - 1)), paid(ago(DAY_MS))]).toEqual([false, true]);
  });

  test("the scale multiplies every top-up limit, and 0 turns them off", () => {
    const busy = { ...declined(20, String, 1000), recentlyPaid: [{ at: ago(1000), amountMicros: dollars(500) }] };
    expect(decide(busy, 100, 0).allowed).toBe(true);
    expect(decide(busy, 100, 10).allowed).toBe(true);
    expect(decide(stranger, 60, 0.5).allowed).toBe(false);
  });
});
