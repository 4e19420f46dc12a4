import { describe, expect, test } from "vitest";
import { decidePromo } from "./decide-promo.ts";
import type { Campaign } from "./promo.store.ts";

const DOLLAR = 1_000_000n;
const now = new Date("2026-06-15T12:00:00Z");
const later = (ms: number) => new Date(now.getTime() + ms);
const order = { chargeMicros: 20n * DOLLAR, packageId: "20" };

const campaign = {
  starts_at: now,
  ends_at: null,
  ended_at: null,
  most_uses: null,
  uses: 0,
  package_id: null,
  least_micros: 20n * DOLLAR,
  bonus_percent: null,
  bonus_micros: 2n * DOLLAR,
  promised_micros: 0n,
  budget_micros: null,
} as Campaign;

const judge = (change: Partial<Campaign>) => decidePromo({ ...campaign, ...change }, order, now);

test("an unknown code is refused", () => {
  expect(decidePromo(undefined, order, now)).toEqual({ refusal: "unknown" });
});

describe("a code gives nothing", () => {
  test.each<[string, Partial<Campaign>]>([
    ["not_started", { starts_at: later(1) }],
    ["expired", { ends_at: now }],
    ["expired", { ended_at: later(-1), ends_at: later(1) }],
    ["used_up", { most_uses: 3, uses: 3 }],
    ["used_up", { budget_micros: 10n * DOLLAR, promised_micros: 8n * DOLLAR + 1n }],
    ["other_package", { package_id: "50" }],
    ["too_little", { least_micros: 20n * DOLLAR + 1n }],
    ["too_little", { bonus_percent: 1, bonus_micros: null, least_micros: 0n }],
  ])("%s: %o", (refusal, change) => {
    const small = refusal === "too_little" && change.bonus_percent === 1 ? { ...order, chargeMicros: 990_000n } : order;
    expect(decidePromo({ ...campaign, ...change }, small, now)).toEqual({ refusal });
  });
});

describe("a code gives its bonus", () => {
  test.each<[string, Partial<Campaign>]>([
    ["to the moment it ends", { ends_at: later(1) }],
    ["to its last use", { most_uses: 3, uses: 2 }],
    ["to the end of its budget", { budget_micros: 10n * DOLLAR, promised_micros: 8n * DOLLAR }],
    ["for its package", { package_id: "20" }],
  ])("%s", (_when, change) => {
    expect(judge(change)).toEqual({ bonusMicros: 2n * DOLLAR });
  });

  test.each<[string, Partial<Campaign>, bigint]>([
    ["a share", { bonus_percent: 5, bonus_micros: null }, DOLLAR],
    ["a share up to its maximum", { bonus_percent: 50, bonus_micros: 3n * DOLLAR }, 3n * DOLLAR],
    ["a share below its maximum", { bonus_percent: 10, bonus_micros: 3n * DOLLAR }, 2n * DOLLAR],
  ])("%s", (_what, change, bonusMicros) => {
    expect(judge(change)).toEqual({ bonusMicros });
  });

  test("in whole cents, rounded down", () => {
    const share = { ...campaign, bonus_percent: 5, bonus_micros: null, least_micros: 0n };
    expect(decidePromo(share, { ...order, chargeMicros: 9_990_000n }, now)).toEqual({ bonusMicros: 490_000n });
  });
});
