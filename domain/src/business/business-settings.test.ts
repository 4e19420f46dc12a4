import * as fc from "fast-check";
import { expect, test } from "vitest";
import { keepsMargin, saleIntervals } from "../rates/sale-terms.ts";
import { DEFAULT_SETTINGS, isWithin, SETTINGS, withValues } from "./business-settings.ts";
import { retailPrice } from "./mark-up.ts";

const definitions = [...SETTINGS.values()];

test("every figure has a name of its own, and its default is one that an operator may set alone", () => {
  expect(definitions.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["mark-up.percent", "carrier-costs.spend-per-day", "call-limits.new.spend-per-day"]),
  );
  for (const { defaultValue, alone, bounds } of definitions) {
    expect(isWithin(defaultValue, alone)).toBe(true);
    expect(isWithin(alone.min, bounds) && isWithin(alone.max, bounds)).toBe(true);
  }
  const defaults = new Map(definitions.map(({ name, defaultValue }) => [name, defaultValue]));
  expect(withValues(defaults)).toEqual(DEFAULT_SETTINGS);
});

test("a value replaces its default alone, and one out of bounds is refused", () => {
  const changed = withValues(
    new Map([
      ["call-limits.known.live-calls", 3n],
      ["call-limits.new.fresh-credit", 7_000_000n],
    ]),
  );
  expect(changed.callLimits.known).toEqual({ ...DEFAULT_SETTINGS.callLimits.known, liveCalls: 3 });
  expect(changed.callLimits.new.freshCredit).toEqual({ micros: 7_000_000n });
  expect(changed.callLimits.unverified).toEqual(DEFAULT_SETTINGS.callLimits.unverified);
  expect(() => withValues(new Map([["mark-up.percent", 9n]]))).toThrow("must not be 9");
  expect(() => withValues(new Map([["mark-up", 9n]]))).toThrow("There is no setting mark-up.");
});

test("whatever mark-up an operator sets, no call is sold below its cost and the margin", () => {
  const values = (name: string) => {
    const { min, max } = SETTINGS.get(name)?.bounds ?? { min: 0n, max: 0n };
    return fc.bigInt({ min, max });
  };
  fc.assert(
    fc.property(
      fc.record({
        percent: values("mark-up.percent"),
        minMarginMicros: values("mark-up.min-margin"),
        minPriceMicros: values("mark-up.min-price"),
      }),
      fc.bigInt({ min: 1n, max: 20_000_000n }),
      fc.constantFrom([1, 1], [6, 6], [30, 6], [60, 60], [60, 1]),
      (markUp, micros, [first = 1, next = 1]) => {
        const cost = { ratePerMinuteMicros: micros, firstIntervalSeconds: first, nextIntervalSeconds: next };
        const ratePerMinuteMicros = retailPrice(micros, markUp);
        expect(keepsMargin({ ratePerMinuteMicros, ...saleIntervals(ratePerMinuteMicros, cost) }, cost)).toBe(true);
      },
    ),
  );
});
