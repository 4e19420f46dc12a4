import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EXPENSIVE, held, refused, seen, proposedCall } from "../../test/proposed-call.ts";
import { chargeFor, longestCallSeconds } from "./charge.ts";
import { decideExtension } from "./decide-call.ts";

const GRANT = 250_000n;
const granted = (leftMicros = GRANT, more = {}) =>
  seen({ balanceMicros: leftMicros, bonusMicros: leftMicros, grantLeftMicros: leftMicros, ...more });
const freeCall = (perMinute: bigint, increment = 1, more: Parameters<typeof proposedCall>[0] = {}) =>
  proposedCall({
    perMinute,
    tier: "new",
    hasOnlyFirstCall: true,
    rate: { ratePerMinuteMicros: perMinute, firstIntervalSeconds: increment, nextIntervalSeconds: increment },
    ...more,
  });
const secondsOf = (call: ReturnType<typeof freeCall>, counters = granted()) => {
  const allowed = held(call, counters);
  return allowed === undefined ? null : longestCallSeconds(allowed.holdMicros, call.rate, allowed.capSeconds);
};

describe("the free first call", () => {
  test.each([
    [320_000n, 1, 46],
    [500_000n, 1, 30],
    [500_001n, 1, null],
    [517_000n, 1, null],
    [250_000n, 60, 60],
    [250_001n, 60, null],
    [320_000n, 6, 42],
    [320_000n, 20, 40],
    [375_001n, 20, null],
    [20_000n, 1, 750],
  ])("at %i micro-dollars per minute in increments of %i s may last %j s", (perMinute, increment, seconds) => {
    const call = freeCall(perMinute, increment);
    expect(secondsOf(call)).toBe(seconds);
    if (seconds === null) expect(refused(call, granted())).toMatchObject({ rule: "first_call_too_short", waitSeconds: null });
  });

  test("never uses other bonus credit, or what remains after earlier calls", () => {
    const more = { balanceMicros: 5_250_000n, bonusMicros: 5_250_000n };
    expect(held(freeCall(EXPENSIVE), granted(GRANT, more))?.holdMicros).toBe(GRANT);
    expect(refused(freeCall(EXPENSIVE), granted(0n, more))?.rule).toBe("first_call_only");
    expect(refused(freeCall(EXPENSIVE), granted(0n, { balanceMicros: GRANT, bonusMicros: GRANT }))?.rule).toBe("credit");
    expect(refused(freeCall(20_000n), granted(0n, { balanceMicros: 19_999n, bonusMicros: 19_999n }))?.rule).toBe("credit");
    expect(refused(freeCall(EXPENSIVE), granted(199_999n))?.rule).toBe("first_call_too_short");
  });

  test("is subject to the rules for new accounts", () => {
    expect(refused(freeCall(EXPENSIVE, 1, { tier: "unverified" }), granted())?.rule).toBe("email_not_confirmed");
    expect(refused(freeCall(600_001n), granted())?.rule).toBe("not_open");
    expect(refused(freeCall(EXPENSIVE, 1, { risk: "high" }), granted())?.rule).toBe("first_call_only");
    expect(refused(freeCall(EXPENSIVE), granted(GRANT, { liveCalls: 1 }))?.rule).toBe("live_calls");
    expect(
      refused(freeCall(EXPENSIVE, 1, { limits: null }), granted(GRANT, { heldMicros: GRANT, grantLeftMicros: 0n }))?.rule,
    ).toBe("credit");
  });

  test("does not apply to customers who bought credit", () => {
    const buyer = freeCall(EXPENSIVE, 1, { hasOnlyFirstCall: false });
    expect(refused(buyer, granted())?.rule).toBe("credit");
    expect(held(buyer, granted(GRANT, { balanceMicros: 400_000n }))?.holdMicros).toBe(400_000n);
  });
});

describe("with credit of one's own, the grant", () => {
  const freeOf = (perMinute: bigint) =>
    held(freeCall(perMinute, 1, { hasOnlyFirstCall: false }), granted(GRANT, { balanceMicros: GRANT + 5_000_000n }))?.freeMicros;

  test("pays first, for what it covers", () => {
    expect(freeOf(20_000n)).toBe(GRANT);
    expect(freeOf(1_000n)).toBe(chargeFor(60 * 60, freeCall(1_000n).rate));
  });

  test("makes no call free for less than half a minute", () => {
    expect(freeOf(500_000n)).toBe(GRANT);
    expect(freeOf(500_001n)).toBe(0n);
  });
});

test("a free first call can be extended by bought credit, but not by other bonus credit", () => {
  const call = freeCall(EXPENSIVE);
  const running = { ...call, capSeconds: 3_600, heldMicros: GRANT };
  const counters = granted(0n, { balanceMicros: 5_000_000n, bonusMicros: 5_000_000n });
  expect(decideExtension(running, counters)).toEqual({ holdMicros: GRANT, boundedBy: "credit" });
  expect(decideExtension({ ...running, hasOnlyFirstCall: false }, counters).holdMicros).toBeGreaterThan(GRANT);
});

test("a free first call is never shorter than half a minute or more expensive than the grant", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 900_000n }),
      fc.constantFrom(1, 6, 20, 30, 60),
      fc.bigInt({ min: 0n, max: GRANT }),
      (perMinute, increment, left) => {
        const call = freeCall(perMinute, increment);
        const allowed = held(call, granted(left));
        if (allowed === undefined || allowed.freeMicros === 0n) return;
        expect(allowed.freeMicros).toBeLessThanOrEqual(left);
        expect(longestCallSeconds(allowed.freeMicros, call.rate, allowed.capSeconds)).toBeGreaterThanOrEqual(30);
      },
    ),
  );
});
