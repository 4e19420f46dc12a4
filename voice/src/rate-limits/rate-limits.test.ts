import pino from "pino";
import { describe, expect, it } from "vitest";
import { RateLimitedLog } from "./rate-limited-log.ts";
import { TokenBucket } from "./token-bucket.ts";
import { SourceRates } from "./source-rates.ts";

function count(taken: () => boolean, times: number): number {
  return Array.from({ length: times }, taken).filter(Boolean).length;
}

describe("a token bucket", () => {
  it("allows a burst at once, and then the sustained rate", () => {
    const rate = new TokenBucket({ perSecond: 10, burst: 5 });
    expect(count(() => rate.take(0), 20)).toBe(5);
    expect(count(() => rate.take(1_000), 20)).toBe(5);
    let passed = 0;
    for (let nowMs = 1_001; nowMs <= 11_000; nowMs += 1) if (rate.take(nowMs)) passed += 1;
    expect(passed).toBeGreaterThanOrEqual(99);
    expect(passed).toBeLessThanOrEqual(101);
  });
});

describe("the rates of several sources", () => {
  it("are independent of each other", () => {
    const rates = new SourceRates({ perSecond: 10, burst: 10 }, 4);
    expect(count(() => rates.take("loud", 0), 1_000)).toBe(10);
    expect(count(() => rates.take("quiet", 0), 10)).toBe(10);
  });

  it("keep at most maxSources, and drop the least recently seen", () => {
    const rates = new SourceRates({ perSecond: 1, burst: 1 }, 3);
    rates.take("loud", 0);
    for (let source = 0; source < 100; source += 1) {
      rates.take(`forged ${source}`, 0);
      expect(rates.take("loud", 0)).toBe(false);
    }
    expect(rates.size).toBe(3);
  });
});

describe("the rate-limited log", () => {
  it("writes few warnings, and reports how many were dropped", () => {
    const lines: { left_out?: number; msg: string }[] = [];
    const rare = new RateLimitedLog(pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as never) }));
    for (let nowMs = 0; nowMs < 10_000; nowMs += 1) rare.warn({}, "refused", nowMs);
    expect(lines.length).toBeLessThanOrEqual(30);
    const counted = lines.reduce((sum, { left_out: leftOut = 0 }) => sum + 1 + leftOut, 0);
    expect(counted).toBeGreaterThan(8_900);
    rare.warn({}, "another kind", 10_000);
    expect(lines.at(-1)?.msg).toBe("another kind");
  });
});
