import { NO_TERMS } from "../business/customer-terms.ts";
import { describe, expect, test } from "vitest";
import { tierOf, type TierFacts } from "./risk-tier.ts";
import { DAY_MS } from "../durations.ts";

const now = new Date("2026-06-15T12:00:00Z");
const ago = (days: number, ms = 0) => new Date(now.getTime() - days * DAY_MS + ms);

const stranger: TierFacts = {
  createdAt: now,
  emailVerified: true,
  everDisputed: false,
  terms: NO_TERMS,
  paidPayments: 0,
  authenticatedPayments: 0,
  longSettledMicros: 0n,
};
const known: TierFacts = { ...stranger, createdAt: ago(7), paidPayments: 2, authenticatedPayments: 1 };
const trusted: TierFacts = { ...stranger, createdAt: ago(30), longSettledMicros: 50_000_000n };

describe("a customer's tier:", () => {
  test.each<[string, TierFacts, string]>([
    ["unverified while the address is not proved, whatever was paid", { ...trusted, emailVerified: false }, "unverified"],
    ["unverified rather than new after a dispute", { ...trusted, emailVerified: false, everDisputed: true }, "unverified"],
    ["new once it is", stranger, "new"],
    [
      "the one that an operator has set, whatever was earned",
      { ...stranger, everDisputed: true, terms: { ...NO_TERMS, tier: "trusted" } },
      "trusted",
    ],
    ["known at seven days, two payments and one confirmation by a bank", known, "known"],
    ["new a millisecond before the seven days", { ...known, createdAt: ago(7, 1) }, "new"],
    ["new with one payment", { ...known, paidPayments: 1 }, "new"],
    ["new when no bank confirmed a payment", { ...known, authenticatedPayments: 0 }, "new"],
    ["new after a dispute", { ...known, everDisputed: true }, "new"],
    ["trusted at 30 days and $50 settled for good", trusted, "trusted"],
    ["not trusted a millisecond before the 30 days", { ...trusted, createdAt: ago(30, 1) }, "new"],
    ["known, not trusted, below $50", { ...known, createdAt: ago(99), longSettledMicros: 49_999_999n }, "known"],
    ["new after a dispute of a trusted customer", { ...trusted, everDisputed: true }, "new"],
  ])("%s", (_what, facts, tier) => expect(tierOf(facts, now)).toBe(tier));
});
