import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import {
  AT,
  DOLLAR,
  EXPENSIVE,
  held,
  limitsOf,
  MOST_EXPENSIVE,
  NO_OWN_LIMITS,
  ORDINARY,
  QUIET,
  refused,
  seen,
  proposedCall,
} from "../../test/proposed-call.ts";
import { CALL_LIMITS, scaleCallLimits } from "./call-limits.ts";
import type { RefusalRule } from "./call-refusal.ts";
import { chargeFor, minimumHold } from "./charge.ts";
import { decideExtension, type CallerCounters, type ProposedCall } from "./decide-call.ts";
import type { RiskTier } from "./risk-tier.ts";

const HOUR_MS = 60 * 60 * 1000;
const agoMs = (...seconds: number[]) => seconds.map((ago) => AT.getTime() - ago * 1000);

test("an allowed call holds the cost of its maximum length", () => {
  const call = proposedCall();
  expect(held(call, QUIET)).toEqual({
    capSeconds: 240 * 60,
    holdMicros: chargeFor(240 * 60, call.rate),
    boundedBy: "longest_call",
    freeMicros: 0n,
  });
});

describe("each rule allows a call at its limit and refuses one just above it", () => {
  const limits = limitsOf("trusted");
  const begun = (calls: number, seconds: number) => ({ startedAtMs: agoMs(...Array.from({ length: calls }, () => seconds)) });
  const expensive = proposedCall({ perMinute: EXPENSIVE });
  const min = minimumHold(expensive.rate);
  const cases: [rule: RefusalRule, call: ProposedCall, within: Partial<CallerCounters>, beyond: Partial<CallerCounters>][] = [
    ["live_calls", proposedCall(), { liveCalls: limits.liveCalls - 1 }, { liveCalls: limits.liveCalls }],
    ["calls_in_a_time", proposedCall(), begun(limits.callsPerMinute - 1, 10), begun(limits.callsPerMinute, 10)],
    ["calls_in_a_time", proposedCall(), begun(limits.callsPerHour - 1, 70), begun(limits.callsPerHour, 70)],
    ["calls_in_a_time", proposedCall(), begun(limits.callsPerDay - 1, 4_000), begun(limits.callsPerDay, 4_000)],
    ["blocked", proposedCall(), {}, { block: { rule: "near_numbers", until: new Date(AT.getTime() + 1) } }],
    [
      "near_numbers",
      proposedCall(),
      { nearNumbersInHour: limits.nearNumbersPerHour - 2 },
      { nearNumbersInHour: limits.nearNumbersPerHour - 1 },
    ],
    [
      "short_calls",
      proposedCall(),
      { shortCallsInHour: limits.shortCallsPerHour - 1 },
      { shortCallsInHour: limits.shortCallsPerHour },
    ],
    [
      "same_number",
      proposedCall(),
      { sameNumberInHour: limits.sameNumberPerHour - 1 },
      { sameNumberInHour: limits.sameNumberPerHour },
    ],
    ["numbers", proposedCall(), { otherNumbersInDay: limits.numbersPerDay - 1 }, { otherNumbersInDay: limits.numbersPerDay }],
    [
      "countries",
      proposedCall(),
      { otherCountriesInDay: limits.countriesPerDay - 1 },
      { otherCountriesInDay: limits.countriesPerDay },
    ],
    [
      "own_countries",
      proposedCall(),
      { ownLimits: { ...NO_OWN_LIMITS, countries: ["GB"] } },
      { ownLimits: { ...NO_OWN_LIMITS, countries: ["DE"] } },
    ],
    [
      "call_cap",
      expensive,
      { ownLimits: { ...NO_OWN_LIMITS, call_cap_micros: min } },
      { ownLimits: { ...NO_OWN_LIMITS, call_cap_micros: min - 1n } },
    ],
    [
      "daily_cap",
      expensive,
      { ownLimits: { ...NO_OWN_LIMITS, daily_cap_micros: DOLLAR, spentTodayMicros: DOLLAR - min } },
      { ownLimits: { ...NO_OWN_LIMITS, daily_cap_micros: DOLLAR, spentTodayMicros: DOLLAR - min + 1n } },
    ],
    [
      "spend",
      expensive,
      { spentInDayMicros: limits.spendPerDayMicros - min },
      { spentInDayMicros: limits.spendPerDayMicros - min + 1n },
    ],
    [
      "spend",
      expensive,
      { spentAboveClassAMicros: limits.spendAboveClassAMicros - min },
      { spentAboveClassAMicros: limits.spendAboveClassAMicros - min + 1n },
    ],
    [
      "spend",
      proposedCall({ perMinute: MOST_EXPENSIVE }),
      { spentAboveClassBMicros: limits.spendAboveClassBMicros - MOST_EXPENSIVE },
      { spentAboveClassBMicros: limits.spendAboveClassBMicros - MOST_EXPENSIVE + 1n },
    ],
    ["credit", expensive, { balanceMicros: min }, { balanceMicros: min - 1n }],
    ["credit", expensive, { heldMicros: QUIET.balanceMicros - min }, { heldMicros: QUIET.balanceMicros - min + 1n }],
  ];
  test.each(cases)("rule %s, case %#", (rule, call, within, beyond) => {
    expect(refused(call, seen(within))).toBeUndefined();
    expect(refused(call, seen(beyond))?.rule).toBe(rule);
  });
});

describe("the destination and the tier", () => {
  test.each<[rule: RefusalRule, call: Partial<ProposedCall> & { perMinute?: bigint }]>([
    ["frozen", { callerIsFrozen: true }],
    ["email_not_confirmed", { tier: "unverified", perMinute: EXPENSIVE }],
    ["not_open", { tier: "unverified", perMinute: MOST_EXPENSIVE }],
    ["not_open", { tier: "new", perMinute: MOST_EXPENSIVE }],
    ["trusted_only", { tier: "new", perMinute: 1_000_001n }],
    ["trusted_only", { tier: "known", perMinute: 1_000_001n }],
    ["too_expensive", { tier: "trusted", perMinute: 2_500_001n }],
    ["margin", { hasMargin: false }],
  ])("refuse a call with %s", (rule, call) => {
    expect(refused(proposedCall(call), QUIET)?.rule).toBe(rule);
  });

  test("refuse a call during a breaker, except ordinary calls of trusted customers for the carrier-spend breaker", () => {
    const until = new Date(AT.getTime() + HOUR_MS);
    const stopped = (kind: "prefix" | "country" | "carrier_spend", call: Parameters<typeof proposedCall>[0] = {}) =>
      refused(proposedCall({ ...call, breakers: [{ id: "b", kind, until }] }), QUIET);
    expect(stopped("prefix")).toMatchObject({ rule: "breaker", code: "destination_paused", waitSeconds: 3_600 });
    expect(stopped("country")?.rule).toBe("breaker");
    expect(stopped("carrier_spend")).toBeUndefined();
    expect(stopped("carrier_spend", { perMinute: EXPENSIVE })?.rule).toBe("breaker");
    expect(stopped("carrier_spend", { tier: "known" })?.rule).toBe("breaker");
    expect(stopped("prefix", { limits: null })).toBeUndefined();
  });

  test("allow the first-call bonus for ordinary destinations only, and bought credit for all", () => {
    const bonus = { balanceMicros: 5n * DOLLAR, bonusMicros: 5n * DOLLAR };
    const call = proposedCall({ perMinute: EXPENSIVE, hasOnlyFirstCall: true });
    expect(refused(call, seen(bonus))?.rule).toBe("first_call_only");
    expect(refused(proposedCall({ hasOnlyFirstCall: true }), seen(bonus))).toBeUndefined();
    expect(refused(call, seen({ ...bonus, balanceMicros: 10n * DOLLAR }))).toBeUndefined();
    expect(refused(call, seen({ balanceMicros: 1n, bonusMicros: 1n }))?.rule).toBe("credit");
  });

  test("do not count drama numbers as adjacent numbers", () => {
    const call = proposedCall({ destination: "+442079460123" });
    expect(refused(call, seen({ nearNumbersInHour: 50 }))).toBeUndefined();
  });
});

describe("credit of the last 24 hours", () => {
  const twenty = { chargeMicros: 20n * DOLLAR, bonusMicros: 0n };
  const heldBy = (tier: RiskTier, counters: Partial<CallerCounters>, perMinute = EXPENSIVE) =>
    held(proposedCall({ tier, perMinute, freshPayments: [twenty] }), seen({ balanceMicros: 20n * DOLLAR, ...counters }))
      ?.holdMicros;

  test("of a new customer may be spent up to $5 per payment, of a known one up to half, of a trusted one entirely", () => {
    expect(heldBy("new", {})).toBe(5n * DOLLAR);
    expect(heldBy("known", {})).toBe(10n * DOLLAR);
    expect(heldBy("trusted", {})).toBe(20n * DOLLAR);
  });

  test("adds to older credit, and expensive calls consume both", () => {
    expect(heldBy("new", { balanceMicros: 22n * DOLLAR })).toBe(7n * DOLLAR);
    const spent = { balanceMicros: 16n * DOLLAR, spentInDayMicros: 4n * DOLLAR };
    expect(heldBy("new", { ...spent, spentAboveClassAMicros: 4n * DOLLAR })).toBe(DOLLAR);
    expect(heldBy("new", spent)).toBe(5n * DOLLAR);
  });

  test("that class B has spent cannot be spent by class C", () => {
    const spent = { balanceMicros: 10n * DOLLAR, spentInDayMicros: 10n * DOLLAR, spentAboveClassAMicros: 10n * DOLLAR };
    const call = proposedCall({ tier: "known", perMinute: MOST_EXPENSIVE, freshPayments: [twenty] });
    expect(refused(call, seen(spent))).toMatchObject({ rule: "fresh_credit", waitSeconds: 24 * 3_600 });
  });
});

const micros = fc.bigInt({ min: 0n, max: 200n * DOLLAR });
const count = fc.integer({ min: 0, max: 130 });
const counters: fc.Arbitrary<CallerCounters> = fc.record({
  balanceMicros: micros,
  heldMicros: fc.constantFrom(0n, 0n, DOLLAR),
  debtMicros: fc.constant(0n),
  bonusMicros: fc.constant(0n),
  grantLeftMicros: fc.constant(0n),
  liveCalls: fc.integer({ min: 0, max: 2 }),
  payerLiveCalls: fc.integer({ min: 0, max: 7 }),
  startedAtMs: fc
    .array(fc.integer({ min: 1, max: 24 * HOUR_MS }), { maxLength: 12 })
    .map((agos) => agos.toSorted((a, b) => a - b).map((ago) => AT.getTime() - ago)),
  block: fc.constant(null),
  sameNumberInHour: fc.integer({ min: 0, max: 15 }),
  nearNumbersInHour: fc.integer({ min: 0, max: 4 }),
  shortCallsInHour: fc.integer({ min: 0, max: 11 }),
  otherNumbersInDay: count,
  otherCountriesInDay: fc.integer({ min: 0, max: 7 }),
  spentInDayMicros: micros,
  spentAboveClassAMicros: fc.bigInt({ min: 0n, max: 50n * DOLLAR }),
  spentAboveClassBMicros: fc.bigInt({ min: 0n, max: 20n * DOLLAR }),
  ownLimits: fc.option(
    fc.record({
      call_cap_micros: fc.option(micros),
      daily_cap_micros: fc.option(micros),
      spentTodayMicros: micros,
      countries: fc.option(fc.constantFrom(["GB"], ["DE"])),
    }),
  ),
  family: fc.constant(null),
});
const call = fc
  .record({
    tier: fc.constantFrom<RiskTier>("unverified", "new", "known", "trusted"),
    perMinute: fc.constantFrom(ORDINARY, ORDINARY, EXPENSIVE, MOST_EXPENSIVE),
    scale: fc.constantFrom(0, 0.5, 1, 3),
    freshPayments: fc.array(fc.record({ chargeMicros: micros, bonusMicros: fc.constant(0n) }), { maxLength: 2 }),
  })
  .map(({ tier, perMinute, scale, freshPayments }) =>
    proposedCall({ tier, perMinute, freshPayments, limits: scaleCallLimits(CALL_LIMITS[tier], scale) }),
  );

describe("for any counters", () => {
  property.prop([call, counters], { numRuns: 1_000 })(
    "a hold is available credit, pays for at least the shortest call, and exceeds no limit",
    (proposed, now) => {
      const allowed = held(proposed, now);
      if (allowed === undefined) return;
      const { holdMicros } = allowed;
      expect(holdMicros).toBeGreaterThanOrEqual(minimumHold(proposed.rate));
      expect(holdMicros).toBeLessThanOrEqual(now.balanceMicros - now.heldMicros);
      expect(holdMicros).toBeLessThanOrEqual(chargeFor(allowed.capSeconds, proposed.rate));
      const { limits } = proposed;
      if (limits !== null) {
        expect(now.spentInDayMicros + holdMicros).toBeLessThanOrEqual(limits.spendPerDayMicros);
        expect(now.liveCalls).toBeLessThan(limits.liveCalls);
        if (proposed.priceClass === "B")
          expect(now.spentAboveClassAMicros + holdMicros).toBeLessThanOrEqual(limits.spendAboveClassAMicros);
        if (proposed.priceClass === "C")
          expect(now.spentAboveClassBMicros + holdMicros).toBeLessThanOrEqual(limits.spendAboveClassBMicros);
      }
      const own = now.ownLimits;
      if (own?.call_cap_micros) expect(holdMicros).toBeLessThanOrEqual(own.call_cap_micros);
      if (own?.daily_cap_micros) expect(own.spentTodayMicros + holdMicros).toBeLessThanOrEqual(own.daily_cap_micros);
    },
  );

  const bumps = fc.constantFrom<(now: CallerCounters) => Partial<CallerCounters>>(
    (now) => ({ liveCalls: now.liveCalls + 1 }),
    (now) => ({ startedAtMs: [AT.getTime() - 1, ...now.startedAtMs] }),
    (now) => ({ sameNumberInHour: now.sameNumberInHour + 1 }),
    (now) => ({ nearNumbersInHour: now.nearNumbersInHour + 1 }),
    (now) => ({ shortCallsInHour: now.shortCallsInHour + 1 }),
    (now) => ({ otherNumbersInDay: now.otherNumbersInDay + 1 }),
    (now) => ({ otherCountriesInDay: now.otherCountriesInDay + 1 }),
    (now) => ({ spentAboveClassAMicros: now.spentAboveClassAMicros + DOLLAR }),
    (now) => ({ spentAboveClassBMicros: now.spentAboveClassBMicros + DOLLAR }),
    (now) => ({ heldMicros: now.heldMicros + DOLLAR }),
  );
  property.prop([call, counters, bumps], { numRuns: 1_000 })(
    "a higher counter never allows a larger hold",
    (proposed, now, bump) => {
      const before = held(proposed, now)?.holdMicros ?? 0n;
      expect(held(proposed, { ...now, ...bump(now) })?.holdMicros ?? 0n).toBeLessThanOrEqual(before);
    },
  );

  property.prop([call, counters], { numRuns: 1_000 })(
    "a call refused for too many calls is not refused for them again after the given wait",
    (proposed, now) => {
      const refusal = refused(proposed, now);
      if (refusal?.rule !== "calls_in_a_time") return;
      expect(refusal.waitSeconds).toBeGreaterThan(0);
      const later = new Date(AT.getTime() + (refusal.waitSeconds ?? 0) * 1000);
      expect(refused({ ...proposed, at: later }, now)?.rule).not.toBe("calls_in_a_time");
      const tooEarly = new Date(later.getTime() - 1_000);
      expect(refused({ ...proposed, at: tooEarly }, now)?.rule).toBe("calls_in_a_time");
    },
  );

  property.prop([call, counters], { numRuns: 500 })(
    "an extension right after the start does not change the hold",
    (proposed, now) => {
      const allowed = held(proposed, now);
      if (allowed === undefined) return;
      const running = { ...proposed, capSeconds: allowed.capSeconds, heldMicros: allowed.holdMicros };
      expect(decideExtension(running, now)).toEqual({ holdMicros: allowed.holdMicros, boundedBy: allowed.boundedBy });
    },
  );

  property.prop([call, counters, micros], { numRuns: 500 })(
    "an extension never lowers a hold and uses only available credit",
    (proposed, now, heldMicros) => {
      const { holdMicros } = decideExtension(
        { ...proposed, capSeconds: 3_600, heldMicros },
        { ...now, balanceMicros: now.balanceMicros + heldMicros },
      );
      expect(holdMicros).toBeGreaterThanOrEqual(heldMicros);
      if (holdMicros > heldMicros) expect(holdMicros).toBeLessThanOrEqual(now.balanceMicros + heldMicros - now.heldMicros);
    },
  );
});

test("the scale multiplies limits, keeps counts at 1 or more, and turns limits off if it is 0", () => {
  expect(scaleCallLimits(CALL_LIMITS.new, 0)).toBeNull();
  expect(scaleCallLimits(CALL_LIMITS.new, 0.1)).toMatchObject({
    liveCalls: 1,
    callsPerMinute: 1,
    callsPerDay: 12,
    freshCredit: { micros: 500_000n },
  });
  expect(scaleCallLimits(CALL_LIMITS.known, 2)).toMatchObject({
    spendPerDayMicros: 150n * DOLLAR,
    freshCredit: { percent: 100n },
  });
});
