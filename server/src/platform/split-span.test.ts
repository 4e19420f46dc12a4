import { HOUR_MS } from "@farline/domain/durations.ts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { splitSpan } from "./split-span.ts";

const START = Date.UTC(2026, 10, 1);

const time = fc.integer({ min: 0, max: 200 * 4 }).map((quarters) => START + (quarters * HOUR_MS) / 4);
const hour = fc.integer({ min: 0, max: 200 }).map((hours) => START + hours * HOUR_MS);
const inOrder = (times: fc.Arbitrary<number>) =>
  fc.tuple(times, times).map(([a, b]) => ({ from: new Date(Math.min(a, b)), to: new Date(Math.max(a, b)) }));

test("every moment of a span is read once: by its hour's sums if they are complete, else row by row", () => {
  fc.assert(
    fc.property(inOrder(time), inOrder(hour), fc.array(hour, { maxLength: 40 }), (span, built, marks) => {
      const changed = [...new Set(marks)].map((one) => new Date(one));
      const { summed, rest } = splitSpan(span, { ...built, changed });
      for (let at = span.from.getTime(); at < span.to.getTime(); at += HOUR_MS / 4) {
        const ofHour = at - (at % HOUR_MS);
        const isSummed =
          ofHour >= summed.from.getTime() &&
          ofHour < summed.to.getTime() &&
          !summed.changed.some((one) => one.getTime() === ofHour);
        const parts = rest.filter(({ from, to }) => at >= from.getTime() && at < to.getTime());
        expect(parts.length + Number(isSummed)).toBe(1);
        if (isSummed) {
          expect(ofHour >= built.from.getTime() && ofHour < built.to.getTime() && !marks.includes(ofHour)).toBe(true);
          expect(ofHour >= span.from.getTime() && ofHour + HOUR_MS <= span.to.getTime()).toBe(true);
        }
      }
    }),
  );
});
