import { describe, expect, test } from "vitest";
import { DOLLAR, EXPENSIVE, held, limitsOf, NO_OWN_LIMITS, refused, seen, proposedCall } from "../../test/proposed-call.ts";
import type { RefusalRule } from "./call-refusal.ts";
import { chargeFor, minimumFreeCallHold, minimumHold } from "./charge.ts";
import { decideExtension } from "./decide-call.ts";
import type { RiskTier } from "./risk-tier.ts";

describe("the call decision, at the edges,", () => {
  const expensive = proposedCall({ perMinute: EXPENSIVE, hasOnlyFirstCall: true });
  const min = minimumHold(expensive.rate);

  test("does not apply the first-call rule to customers with enough bought credit, or with any bought credit", () => {
    expect(refused(expensive, seen({ balanceMicros: min, bonusMicros: min }))).toMatchObject({ rule: "first_call_only" });
    expect(held(expensive, seen({ balanceMicros: min + DOLLAR, bonusMicros: DOLLAR }))).toBeDefined();
    const buyer = { ...expensive, hasOnlyFirstCall: false };
    expect(held(buyer, seen({ balanceMicros: min, bonusMicros: min }))).toBeDefined();
  });

  test("names the longest call, not the credit, if the credit is exactly sufficient", () => {
    const call = proposedCall();
    const balanceMicros = chargeFor(240 * 60, call.rate);
    expect(held(call, seen({ balanceMicros }))).toMatchObject({ holdMicros: balanceMicros, boundedBy: "longest_call" });
  });

  test.each([DOLLAR, DOLLAR / 2n])(
    "a running call that holds what it may is bounded by that, not by the credit",
    (call_cap_micros) => {
      const running = { ...proposedCall(), capSeconds: 240 * 60, heldMicros: DOLLAR };
      const counters = seen({ balanceMicros: 1n, ownLimits: { ...NO_OWN_LIMITS, call_cap_micros } });
      expect(decideExtension(running, counters)).toEqual({ holdMicros: DOLLAR, boundedBy: "call_cap" });
    },
  );

  test("allows a free first call if exactly its least is left of the grant", () => {
    const least = minimumFreeCallHold(expensive.rate);
    const counters = { balanceMicros: DOLLAR, bonusMicros: DOLLAR };
    expect(held(expensive, seen({ ...counters, grantLeftMicros: least }))).toMatchObject({
      freeMicros: least,
      holdMicros: least,
    });
    expect(refused(expensive, seen({ ...counters, grantLeftMicros: least - 1n }))?.rule).toBe("first_call_too_short");
  });

  describe("a running call", () => {
    const family = {
      dailyCapMicros: null,
      monthlyCapMicros: null,
      spentTodayMicros: 0n,
      spentThisMonthMicros: 0n,
      countries: null,
    };
    const running = { capSeconds: 240 * 60, heldMicros: DOLLAR };
    const longest = chargeFor(running.capSeconds, proposedCall().rate);

    test("on a family's credit gets more while its caller is a member, and keeps what it holds once they have left", () => {
      const call = { ...proposedCall({ isOnFamilyCredit: true }), ...running };
      expect(decideExtension(call, seen({ family }))).toEqual({ holdMicros: longest, boundedBy: "longest_call" });
      expect(decideExtension(call, seen({ family: null }))).toEqual({ holdMicros: DOLLAR, boundedBy: "credit" });
    });

    test("of a customer with nothing but the first call gets more at an ordinary price alone", () => {
      const ordinary = { ...proposedCall({ hasOnlyFirstCall: true }), ...running };
      expect(decideExtension(ordinary, seen({}))).toEqual({ holdMicros: longest, boundedBy: "longest_call" });
      expect(decideExtension({ ...expensive, ...running }, seen({}))).toEqual({ holdMicros: DOLLAR, boundedBy: "credit" });
    });
  });

  describe("reports, among equal limits,", () => {
    const call = proposedCall();
    const longest = chargeFor(240 * 60, call.rate);

    test("the longest call rather than the caller's own cap", () => {
      const own = seen({ ownLimits: { ...NO_OWN_LIMITS, call_cap_micros: longest } });
      expect(held(call, own)).toMatchObject({ holdMicros: longest, boundedBy: "longest_call" });
    });

    test("the fresh payment rather than the daily spending limit", () => {
      const freshCredit = { micros: 0n };
      const limits = { ...limitsOf("trusted"), freshCredit, spendPerDayMicros: 5n * DOLLAR };
      const freshPayments = [{ chargeMicros: 20n * DOLLAR, bonusMicros: 0n }];
      const nothingLeft = seen({ balanceMicros: 15n * DOLLAR, spentInDayMicros: 5n * DOLLAR });
      expect(refused(proposedCall({ perMinute: EXPENSIVE, limits, freshPayments }), nothingLeft)?.rule).toBe("fresh_credit");
    });

    test("the caller's cap per call rather than the cap per day", () => {
      const own = { ...NO_OWN_LIMITS, call_cap_micros: DOLLAR, daily_cap_micros: DOLLAR };
      expect(held(call, seen({ ownLimits: own }))).toMatchObject({ holdMicros: DOLLAR, boundedBy: "call_cap" });
    });
  });

  test("gives a waiting time for our limits, but not for the caller's own", () => {
    const none = { ...NO_OWN_LIMITS, spentTodayMicros: DOLLAR };
    const byCall = refused(proposedCall(), seen({ ownLimits: { ...none, call_cap_micros: 0n } }));
    expect(byCall).toMatchObject({ rule: "call_cap", waitSeconds: null, leftMicros: 0n });
    const byDay = refused(proposedCall(), seen({ ownLimits: { ...none, daily_cap_micros: DOLLAR } }));
    expect(byDay).toMatchObject({ rule: "daily_cap", waitSeconds: null, leftMicros: 0n });
    const bySpend = refused(proposedCall(), seen({ spentInDayMicros: 1_000n * DOLLAR }));
    expect(bySpend).toMatchObject({ rule: "spend", waitSeconds: 24 * 3_600 });
  });

  describe("limits a call by a fresh payment only if the tier may not spend all of it", () => {
    const poor = seen({ balanceMicros: 0n });
    const expensiveCall = (tier: RiskTier, fresh: boolean) =>
      proposedCall({
        tier,
        perMinute: EXPENSIVE,
        freshPayments: fresh ? [{ chargeMicros: 10n * DOLLAR, bonusMicros: 0n }] : [],
      });
    const afterSpending = seen({
      balanceMicros: DOLLAR,
      spentInDayMicros: 9n * DOLLAR,
      spentAboveClassAMicros: 9n * DOLLAR,
    });

    test.each<[tier: RiskTier, fresh: boolean, rule: RefusalRule | undefined]>([
      ["new", false, undefined],
      ["new", true, "fresh_credit"],
      ["trusted", true, undefined],
    ])("tier %s, with a fresh payment: %s", (tier, fresh, rule) => {
      expect(refused(expensiveCall(tier, fresh), afterSpending)?.rule).toBe(rule);
    });

    test("and never by the bonus of a payment that the tier may spend", () => {
      const freshPayments = [{ chargeMicros: 10n * DOLLAR, bonusMicros: 5n * DOLLAR }];
      const call = proposedCall({ tier: "trusted", perMinute: EXPENSIVE, freshPayments });
      expect(held(call, seen({ balanceMicros: 15n * DOLLAR }))).toMatchObject({ holdMicros: 15n * DOLLAR });
    });

    test("and does not report a fresh payment if there is no credit and no payment", () => {
      expect(refused(expensiveCall("known", false), poor)?.rule).toBe("credit");
    });
  });
});
