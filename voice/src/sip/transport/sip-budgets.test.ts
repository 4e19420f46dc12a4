import { describe, expect, it } from "vitest";
import { SipBudgets } from "./sip-budgets.ts";

const [NOISY, OTHER] = ["203.0.113.1", "203.0.113.2"];

function count(may: (time: number) => boolean, times: number): number {
  return Array.from({ length: times }, (_, time) => may(time)).filter(Boolean).length;
}

describe("a carrier that sends 100,000 messages a second", () => {
  it("does not use up another carrier's budget", () => {
    const budgets = new SipBudgets();
    expect(count(() => budgets.mayRead(NOISY, true, 0), 100_000)).toBeLessThanOrEqual(4_000);
    expect(count(() => budgets.mayRequest(NOISY, 0), 1_000)).toBe(50);
    expect(count(() => budgets.mayRead(OTHER, true, 0), 1_000)).toBe(1_000);
    expect(count(() => budgets.mayRequest(OTHER, 0), 50)).toBe(50);
  });

  it("in one call does not use up another call's budget", () => {
    const budgets = new SipBudgets();
    expect(count(() => budgets.mayReachCall("one", 0), 10_000)).toBe(50);
    expect(count(() => budgets.mayReachCall("other", 0), 50)).toBe(50);
  });
});

it("a known call has its own budget once its source has none, and no other can use it up", () => {
  const budgets = new SipBudgets();
  expect(count(() => budgets.mayReadCall("one", 0), 10_000)).toBe(50);
  expect(count(() => budgets.mayReadCall("other", 0), 10)).toBe(10);
});

describe("addresses that belong to no trunk", () => {
  it("do not use up the trunks' budgets, however many there are", () => {
    const budgets = new SipBudgets();
    expect(count((time) => budgets.mayRead(`198.51.100.${time % 250}`, false, 0), 100_000)).toBe(500);
    expect(count(() => budgets.mayRead(OTHER, true, 0), 1_000)).toBe(1_000);
  });

  it("use at most a fifth of the shared budget each", () => {
    const budgets = new SipBudgets();
    expect(count(() => budgets.mayRead(NOISY, false, 0), 10_000)).toBe(100);
    expect(count(() => budgets.mayRead(OTHER, false, 0), 100)).toBe(100);
  });
});
