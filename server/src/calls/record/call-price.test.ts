import { chargeFor, minimumHold } from "@farline/domain/calls/charge.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { limitOf, priceOf } from "./call-price.ts";
import type { CallRow } from "./calls.tables.ts";

const rates = fc.record({
  rate_per_minute_micros: fc.bigInt({ min: 1n, max: 600_000n }),
  first_interval_seconds: fc.constantFrom(1, 6, 30, 60),
  next_interval_seconds: fc.constantFrom(1, 6, 60),
});

test("a call of any length costs at most its hold, and exactly the price of its billed seconds", () => {
  fc.assert(
    fc.property(
      rates,
      fc.bigInt({ min: 0n, max: 20_000_000n }),
      fc.integer({ min: 0, max: 20_000_000 }),
      (terms, extraMicros, durationMs) => {
        const rate = {
          ratePerMinuteMicros: terms.rate_per_minute_micros,
          firstIntervalSeconds: terms.first_interval_seconds,
          nextIntervalSeconds: terms.next_interval_seconds,
        };
        const cap = chargeFor(3_600, rate);
        const max = minimumHold(rate) + extraMicros;
        const call = { ...terms, held_micros: max < cap ? max : cap, cap_seconds: 3_600, limit_seconds: null } as CallRow;
        const price = priceOf(call, durationMs);
        expect(price.chargeMicros).toBeLessThanOrEqual(call.held_micros);
        expect(price.chargeMicros).toBe(chargeFor(price.billedSeconds, rate));
        const limited: CallRow = { ...call, limit_seconds: 1 };
        expect(priceOf(limited, durationMs)).toEqual(price);
      },
    ),
    { numRuns: 1_000 },
  );
});

test("the end reason of a cut call is its limit: credit, the longest call allowed, or the caller's own", () => {
  const rate = { rate_per_minute_micros: 10_000n, first_interval_seconds: 1, next_interval_seconds: 1 };
  const call = {
    ...rate,
    held_micros: 20_000n,
    cap_seconds: 3_600,
    limit_seconds: null,
    bounded_by: "credit",
    price_class: "A",
  } as CallRow;
  expect(limitOf(call)).toEqual({ seconds: 120, paidSeconds: 120, reason: "credit_used_up", silenceMayBeFree: true });
  expect(limitOf({ ...call, bounded_by: "longest_call" }).reason).toBe("time_limit");
  expect(limitOf({ ...call, bounded_by: "spend_limit" }).reason).toBe("time_limit");
  expect(limitOf({ ...call, bounded_by: "call_cap" }).reason).toBe("own_limit");
  expect(limitOf({ ...call, bounded_by: "daily_cap" }).reason).toBe("own_limit");
  const notTold = { ...call, bounded_by: "longest_call", limit_seconds: 60 } as CallRow;
  expect(limitOf(notTold)).toEqual({ seconds: 60, paidSeconds: 120, reason: "credit_used_up", silenceMayBeFree: true });
});
