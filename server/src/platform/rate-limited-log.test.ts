import { expect, test } from "vitest";
import { RateLimitedLog } from "./rate-limited-log.ts";

test("warnings are rate-limited by kind, and the next one reports how many were left out", () => {
  const lines: { message: string; leftOut: number }[] = [];
  const warn = (fields: { left_out?: number }, message: string) => void lines.push({ message, leftOut: fields.left_out ?? 0 });
  const log = new RateLimitedLog({ warn: warn as never });
  for (let n = 0; n < 10_000; n += 1) log.warn({ n }, "leg refused", n * 12);
  log.warn({}, "another kind", 0);
  const refused = lines.filter(({ message }) => message === "leg refused");
  expect(refused).toHaveLength(40);
  expect(refused.reduce((sum, { leftOut }) => sum + leftOut, 0)).toBeGreaterThan(4_900);
  expect(lines.at(-1)).toEqual({ message: "another kind", leftOut: 0 });
});
