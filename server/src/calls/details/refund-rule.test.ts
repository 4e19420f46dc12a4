import { describe, expect, test } from "vitest";
import { REFUND_RULE, refundsByRule, type RuleRefunds, type RefundEvidence } from "./refund-rule.ts";

const none: RuleRefunds = { toCustomer: 0, toCustomerMicros: "0", forNumber: 0, forPrefixMicros: "0", inAllMicros: "0" };
const silent: RefundEvidence = {
  endReason: "hangup",
  durationMs: 60_000,
  chargeMicros: "1000000",
  priceClass: "A",
  packetsFromCaller: 1_000,
  packetsFromCalled: 0,
  heard: null,
  tier: "known",
  historyMicros: "20000000",
  byRule: none,
};
const granted = (change: Partial<RefundEvidence>, byRule: Partial<RuleRefunds> = {}) =>
  refundsByRule("no_audio", { ...silent, ...change, byRule: { ...none, ...byRule } });

test("a silent call of a known customer is refunded", () => {
  expect(granted({})).toBe(true);
});

test("silence justifies only a complaint about silence", () => {
  expect(refundsByRule("one_way", silent)).toBe(true);
  expect(refundsByRule("cut_off", silent)).toBe(false);
});

test.each<[string, Partial<RefundEvidence>, boolean]>([
  ["lost by the network before ten seconds", { endReason: "connection_lost", durationMs: 9_999 }, true],
  ["lost by the network after ten seconds", { endReason: "connection_lost", durationMs: 10_000 }, false],
  ["hung up before ten seconds", { endReason: "hangup", durationMs: 9_999 }, false],
])("a call with sound, %s", (_name, change, back) => {
  expect(refundsByRule("cut_off", { ...silent, packetsFromCalled: 400, ...change })).toBe(back);
});

test("each limit is inclusive", () => {
  const largest = { chargeMicros: String(REFUND_RULE.maxMicros), historyMicros: "999000000" };
  expect(granted(largest)).toBe(true);
  expect(granted(largest, { forPrefixMicros: String(REFUND_RULE.prefixPerDayMicros - REFUND_RULE.maxMicros) })).toBe(true);
  expect(granted(largest, { inAllMicros: String(REFUND_RULE.inAllPerDayMicros - REFUND_RULE.maxMicros) })).toBe(true);
});

describe("is left to an operator:", () => {
  test.each<[string, Partial<RefundEvidence>, Partial<RuleRefunds>]>([
    ["a call with sound", { packetsFromCalled: 1 }, {}],
    ["a call without the exchange's data", { packetsFromCalled: null }, {}],
    ["an unverified customer", { tier: "unverified" }, {}],
    ["a new customer", { tier: "new" }, {}],
    ["class B", { priceClass: "B" }, {}],
    ["class C", { priceClass: "C" }, {}],
    ["a history worth too little for the refund", { historyMicros: "19999999" }, {}],
    ["a history that earlier refunds count against", {}, { toCustomerMicros: "1" }],
    ["a call that cost too much", { chargeMicros: String(REFUND_RULE.maxMicros + 1n), historyMicros: "999000000" }, {}],
    ["one refund too many for a customer", {}, { toCustomer: REFUND_RULE.refundsOfCustomer }],
    ["one refund too many for a number", {}, { forNumber: REFUND_RULE.refundsForNumber }],
    ["too much for a prefix in a day", {}, { forPrefixMicros: String(REFUND_RULE.prefixPerDayMicros - 999_999n) }],
    ["too much in total in a day", {}, { inAllMicros: String(REFUND_RULE.inAllPerDayMicros - 999_999n) }],
  ])("%s", (_name, change, byRule) => {
    expect(granted(change, byRule)).toBe(false);
  });
});
