import { describe, expect, test } from "vitest";
import {
  formatBalance,
  formatCost,
  formatCount,
  formatDate,
  formatDateTime,
  formatDollarBuys,
  formatDuration,
  formatExact,
  formatMoney,
  formatRate,
  formatRatePerMinute,
  formatSigned,
  formatSum,
  formatTimer,
} from "./format.ts";
import { formatOwed, formatTogether } from "./statement-format.ts";

describe("money", () => {
  test("a balance shows its currency and two decimals, rounded down", () => {
    expect(formatBalance("24.60")).toBe("USD $24.60");
    expect(formatBalance("24.609999")).toBe("USD $24.60");
    expect(formatBalance("0.00")).toBe("USD $0.00");
  });

  test("large amounts have group separators", () => {
    expect(formatMoney("1234567.80")).toBe("$1,234,567.80");
    expect(formatMoney("999.99")).toBe("$999.99");
  });

  test("a negative amount has a minus sign before the dollar sign", () => {
    expect(formatMoney("-0.8070", 4)).toBe("−$0.8070");
  });

  test("costs and rates show four decimals", () => {
    expect(formatCost("0.5964")).toBe("$0.5964");
    expect(formatCost("2.00")).toBe("$2.0000");
    expect(formatRate("0.0210")).toBe("$0.0210");
    expect(formatRatePerMinute("0.142000")).toBe("$0.1420/min");
  });

  test("an amount that people recompute loses no digit", () => {
    expect(formatExact("0.596401")).toBe("$0.596401");
    expect(formatExact("0.59")).toBe("$0.5900");
  });

  test("a nonzero cost is never shown as zero", () => {
    expect(formatSum("0.001399")).toBe("$0.0013");
    expect(formatSum("0.000042")).toBe("$0.000042");
    expect(formatSum("0.01")).toBe("$0.01");
    expect(formatSum("0")).toBe("$0.00");
    expect(formatCost("0.000042")).toBe("$0.000042");
    expect(formatCost("0")).toBe("$0.0000");
    expect(formatSigned("0.000042", "debit", 4)).toBe("−$0.000042");
  });

  test("what somebody owes is rounded up, because paying less would leave a debt", () => {
    expect(formatOwed("3.20")).toBe("$3.20");
    expect(formatOwed("3.200001")).toBe("$3.21");
    expect(formatOwed("0.000042")).toBe("$0.01");
  });

  test("amounts shown together have the same number of decimals", () => {
    expect(formatTogether(["20", "-0.807", "19.193"], [false, true])).toEqual(["$20.0000", "−$0.8070", "$19.1930"]);
    expect(formatTogether(["20", "1.5"], [false, true])).toEqual(["$20.00", "+$1.50"]);
    expect(formatTogether(["20", "0.000001"])).toEqual(["$20.000000", "$0.000001"]);
  });

  test("credits are signed with plus and debits with a real minus sign, with the same number of decimals", () => {
    expect(formatSigned("20.00", "credit", 2)).toBe("+$20.00");
    expect(formatSigned("0.807", "debit", 4)).toBe("−$0.8070");
  });

  test("a dollar buys whole minutes, rounded down, and a free rate promises none", () => {
    expect(formatDollarBuys("0.0210")).toBe("$1 = 47 min");
    expect(formatDollarBuys("0.1420")).toBe("$1 = 7 min");
    expect(formatDollarBuys("2.0000")).toBe("$1 = 0 min");
    expect(formatDollarBuys("0.0000")).toBeNull();
  });
});

describe("time", () => {
  test("the timer counts minutes past the hour", () => {
    expect(formatTimer(0)).toBe("00:00");
    expect(formatTimer(252)).toBe("04:12");
    expect(formatTimer(3665.9)).toBe("61:05");
  });

  test("a duration is in minutes and seconds", () => {
    expect(formatDuration(0)).toBe("0 s");
    expect(formatDuration(60)).toBe("1 min");
    expect(formatDuration(252)).toBe("4 min 12 s");
    expect(formatDuration(-3)).toBe("0 s");
  });

  test("AM and PM stay on the line of their hour", () => {
    expect(formatDateTime("2026-05-18T19:42:00.000Z")).toMatch(/\d:42\u00a0[AP]M/);
  });

  test("a date names its day, month and year", () => {
    const date = formatDate("2026-05-18T12:00:00.000Z");
    expect(date).toContain("18");
    expect(date).toContain("May");
    expect(date).toContain("2026");
  });
});

test("counts have group separators", () => {
  expect(formatCount(1050)).toBe("1,050");
});
