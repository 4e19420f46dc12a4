import * as fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { CircuitBreaker, type CircuitOutcome, FIRST_OPEN_MS, MAX_FAULTS, MAX_OPEN_MS, MAX_REST_MS } from "./circuit-breaker.ts";

let now = 0;
let breaker: CircuitBreaker;
beforeEach(() => {
  now = 0;
  breaker = new CircuitBreaker(() => now);
});

function call(outcome: CircuitOutcome, number = String(Math.random())): string | null {
  breaker.begin();
  return breaker.settle(number, outcome);
}

function failOften(): void {
  for (let faults = 1; faults <= MAX_FAULTS; faults++) call("fault");
}

describe("a trunk's circuit breaker", () => {
  it("opens after consecutive faults, but not if a call succeeds in between", () => {
    for (let faults = 1; faults < MAX_FAULTS; faults++) expect(call("fault")).toBeNull();
    expect(call("worked")).toBeNull();
    for (let faults = 1; faults < MAX_FAULTS; faults++) expect(call("fault")).toBeNull();
    expect(breaker.open).toBe(false);
    expect(call("fault")).toBe("opened");
    expect(breaker.open).toBe(true);
  });

  it("opens at the first call if the carrier refuses our account, until a call succeeds", () => {
    expect(call("account")).toBe("opened");
    expect([breaker.open, breaker.failing]).toEqual([true, true]);
    now += FIRST_OPEN_MS;
    expect([breaker.open, breaker.failing]).toEqual([false, true]);
    expect(call("account")).toBe("opened");
    now += 2 * FIRST_OPEN_MS;
    expect(call("worked")).toBe("closed");
    expect(breaker.failing).toBe(false);
  });

  it("is open for as long as the carrier asks, up to a minute", () => {
    for (const [asked, open] of [
      [20_000, 20_000],
      [3_600_000, MAX_REST_MS],
    ] as const) {
      breaker.rest(asked);
      now += open - 1;
      expect(breaker.open).toBe(true);
      now += 1;
      expect(breaker.open).toBe(false);
    }
  });

  it("is not opened by one unreachable number, or by calls that we cancel", () => {
    for (let calls = 0; calls < 50; calls++) expect(call("fault", "+882999999999")).toBeNull();
    for (let calls = 0; calls < 50; calls++) expect(call(null)).toBeNull();
    expect(breaker.open).toBe(false);
  });

  it("lets one call at a time through after its open time, and closes at the first success", () => {
    failOften();
    now += FIRST_OPEN_MS - 1;
    expect(breaker.open).toBe(true);
    now += 1;
    expect(breaker.open).toBe(false);
    breaker.begin();
    expect(breaker.open).toBe(true);
    expect(breaker.settle("+442079460000", "worked")).toBe("closed");
    expect(breaker.open).toBe(false);
  });

  it("doubles its open time after each failed trial, up to a limit", () => {
    failOften();
    for (let openMs = FIRST_OPEN_MS; openMs < 20 * MAX_OPEN_MS; openMs *= 2) {
      now += Math.min(openMs, MAX_OPEN_MS) - 1;
      expect(breaker.open).toBe(true);
      now += 1;
      expect(call("fault")).toBe("opened");
    }
  });

  it("is never open for longer than its limit without a call in progress", () => {
    const steps = fc.array(fc.tuple(fc.constantFrom("worked", "fault", null), fc.integer({ min: 0, max: 2 * MAX_OPEN_MS })));
    fc.assert(
      fc.property(steps, (all) => {
        breaker = new CircuitBreaker(() => now);
        for (const [outcome, passedMs] of all) {
          call(outcome);
          now += passedMs;
          if (outcome === "worked" || passedMs >= MAX_OPEN_MS) expect(breaker.open).toBe(false);
        }
      }),
    );
  });
});
