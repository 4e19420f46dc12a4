import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { DOLLAR, held, limitsOf, NO_OWN_LIMITS, proposedCall, QUIET, refused, seen } from "../../test/proposed-call.ts";
import { minimumHold } from "./charge.ts";
import { decideExtension } from "./decide-call.ts";
import { FAMILY_LIVE_CALLS, type FamilyLimits } from "./family-limits.ts";

const FREE: FamilyLimits = {
  ...{ dailyCapMicros: null, spentTodayMicros: 0n, monthlyCapMicros: null, spentThisMonthMicros: 0n },
  countries: null,
};
const call = proposedCall({ isOnFamilyCredit: true });
const member = (limits: Partial<FamilyLimits> = {}) => seen({ family: { ...FREE, ...limits } });

describe("a call on a family's credit", () => {
  const min = minimumHold(call.rate);
  test.each<[string, Partial<FamilyLimits>, string | undefined]>([
    ["without limits", {}, undefined],
    ["to an allowed country", { countries: ["GB"] }, undefined],
    ["to another country", { countries: ["DE"] }, "family_countries"],
    ["at the day's limit", { dailyCapMicros: min + 5n, spentTodayMicros: 5n }, undefined],
    ["just above the day's limit", { dailyCapMicros: min + 5n, spentTodayMicros: 6n }, "family_daily_cap"],
    ["at the month's limit", { monthlyCapMicros: min + 5n, spentThisMonthMicros: 5n }, undefined],
    ["just above the month's limit", { monthlyCapMicros: min + 5n, spentThisMonthMicros: 6n }, "family_monthly_cap"],
  ])("%s is decided by the owner's limits", (_what, limits, rule) => {
    expect(refused(call, member(limits))?.rule).toBe(rule);
  });

  test("is never free by its caller's own grant", () => {
    const granted = { ...member(), bonusMicros: DOLLAR, grantLeftMicros: DOLLAR };
    expect(held(call, granted)?.freeMicros).toBe(0n);
    expect(held({ ...call, isOnFamilyCredit: false }, { ...granted, family: null })?.freeMicros).toBe(DOLLAR);
  });

  test("is refused, and a running one does not grow, once its caller is no member", () => {
    expect(refused(call, QUIET)?.rule).toBe("family_ended");
    const running = { ...call, capSeconds: 3_600, heldMicros: min };
    expect(decideExtension(running, QUIET)).toEqual({ holdMicros: min, boundedBy: "credit" });
    expect(decideExtension(running, member()).holdMicros).toBeGreaterThan(min);
  });

  test("hides which of the owner's own rules refused it, but not the caller's", () => {
    const own = { ...NO_OWN_LIMITS, daily_cap_micros: 1n };
    for (const counters of [{ balanceMicros: 0n }, { ownLimits: own }, { spentInDayMicros: 1_000n * DOLLAR }]) {
      const told = refused(call, { ...member(), ...counters });
      expect([told?.rule, told?.leftMicros, told?.credit]).toEqual(["family_credit", undefined, undefined]);
    }
    expect(refused({ ...call, payerIsFrozen: true }, member())?.rule).toBe("family_credit");
    expect(refused({ ...call, callerIsFrozen: true }, member())?.rule).toBe("frozen");
    expect(refused(call, { ...member(), liveCalls: limitsOf("trusted").liveCalls })?.rule).toBe("live_calls");
  });

  test("is refused while the payer pays for too many at once", () => {
    const most = limitsOf("trusted").liveCalls * FAMILY_LIVE_CALLS;
    expect(refused(call, { ...member(), payerLiveCalls: most - 1 })).toBeUndefined();
    expect(refused(call, { ...member(), payerLiveCalls: most })?.rule).toBe("live_calls");
  });

  const micros = fc.bigInt({ min: 0n, max: 20n * DOLLAR });
  property.prop([fc.option(micros), micros, fc.option(micros), micros])(
    "never holds more than what is left of each limit",
    (daily, today, monthly, month) => {
      const limits = { dailyCapMicros: daily, spentTodayMicros: today, monthlyCapMicros: monthly, spentThisMonthMicros: month };
      const allowed = held(call, member(limits));
      if (allowed === undefined) return;
      if (daily !== null) expect(allowed.holdMicros).toBeLessThanOrEqual(daily - today);
      if (monthly !== null) expect(allowed.holdMicros).toBeLessThanOrEqual(monthly - month);
    },
  );
});
