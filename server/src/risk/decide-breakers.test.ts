import { CARRIER_COST_LIMITS } from "@farline/domain/business/business-settings.ts";
import { describe, expect, test } from "vitest";
import { decidePauses, decideSpend } from "./decide-breakers.ts";
import type { Breaker } from "./risk.tables.ts";

const now = new Date("2026-06-15T12:00:00Z");
const midnight = new Date("2026-06-16T00:00:00Z");
const at = { now, scale: 1, limits: CARRIER_COST_LIMITS };
const dollars = (amount: number) => BigInt(Math.round(amount * 1e6));

type Known = Pick<Breaker, "kind" | "subject" | "until" | "lifted_at">;
const known = (kind: Breaker["kind"], subject: string, more: Partial<Known> = {}): Known => ({
  kind,
  subject,
  until: midnight,
  lifted_at: null,
  ...more,
});
const found = (made: readonly { kind: string; subject: string }[]) =>
  made.map(({ kind, subject }) => `${kind} ${subject}`.trim());

describe("the daily carrier cost", () => {
  test.each([
    [249.99, []],
    [250, ["spend_note 50"]],
    [400, ["spend_note 50", "spend_note 80"]],
    [499.99, ["spend_note 50", "spend_note 80"]],
    [500, ["spend_note 50", "spend_note 80", "carrier_spend"]],
  ])("$%s: %j", (spent, expected) => expect(found(decideSpend(dollars(spent), [], at))).toEqual(expected));

  test("causes each warning and the stop once, until midnight", () => {
    const today = [known("spend_note", "50"), known("spend_note", "80")];
    const [stop] = decideSpend(dollars(600), today, at);
    expect(stop).toMatchObject({ kind: "carrier_spend", until: midnight });
    expect(stop?.inputs).toEqual({ spent_micros: "600000000", limit_micros: "500000000" });
    expect(decideSpend(dollars(900), [...today, known("carrier_spend", "")], at)).toEqual([]);
  });

  test("has its limit raised by the same amount when the breaker is lifted, not removed", () => {
    const today = [known("spend_note", "50"), known("spend_note", "80"), known("carrier_spend", "", { lifted_at: now })];
    expect(decideSpend(dollars(999.99), today, at)).toEqual([]);
    expect(found(decideSpend(dollars(1000), today, at))).toEqual(["carrier_spend"]);
  });

  test("has a limit that is multiplied by the scale", () => {
    expect(decideSpend(dollars(499.99), [], { ...at, scale: 2 })).toEqual([]);
    expect(found(decideSpend(dollars(500), [], { ...at, scale: 2 }))).toEqual(["spend_note 50"]);
  });
});

describe("a sudden cost increase", () => {
  const cost = (prefix: string, hour: number, mean: number, countryCode = "GH") => ({
    prefix,
    countryCode,
    hourMicros: dollars(hour),
    meanMicros: dollars(mean),
  });

  test.each([
    ["$20 in an hour after none", 20, 0, []],
    ["a cent more", 20.01, 0, ["prefix 233"]],
    ["five times the mean", 50, 10, []],
    ["a cent more than five times the mean", 50.01, 10, ["prefix 233"]],
  ])("%s", (_what, hour, mean, expected) => expect(found(decidePauses([cost("233", hour, mean)], [], at))).toEqual(expected));

  test("spread over a country's prefixes pauses the country for an hour", () => {
    const [pause, ...more] = decidePauses([cost("23320", 15, 0), cost("23324", 10, 1), cost("49", 15, 0, "DE")], [], at);
    expect(pause).toMatchObject({ kind: "country", subject: "GH", until: new Date("2026-06-15T13:00:00Z") });
    expect(pause?.inputs).toEqual({ hour_micros: "25000000", mean_micros: "1000000" });
    expect(more).toEqual([]);
  });

  test("of one prefix does not pause its country, now or at the next check", () => {
    const costs = [cost("23320", 60, 0), cost("23324", 15, 3)];
    expect(found(decidePauses(costs, [], at))).toEqual(["prefix 23320"]);
    expect(decidePauses(costs, [known("prefix", "23320")], at)).toEqual([]);
  });

  test("is ignored after an operator lifted its breaker, until the pause would have ended", () => {
    const lifted = known("prefix", "23320", { lifted_at: now, until: new Date(now.getTime() + 1) });
    expect(decidePauses([cost("23320", 60, 0)], [lifted], at)).toEqual([]);
    expect(found(decidePauses([cost("23320", 60, 0)], [{ ...lifted, until: now }], at))).toEqual(["prefix 23320"]);
  });
});
