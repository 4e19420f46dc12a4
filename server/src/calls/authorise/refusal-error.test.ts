import { refuse } from "@farline/domain/calls/call-refusal.ts";
import type { CallPrice } from "@farline/contract/rates.ts";
import { MIN_TOP_UP_MICROS } from "@farline/domain/business/top-up-limits.ts";
import { TIER_RULES } from "@farline/domain/calls/risk-tier.ts";
import { expect, test } from "vitest";
import { refusalError } from "./refusal-error.ts";

const PRICE: CallPrice = {
  number: "+12425550123",
  country_code: "BS",
  country_name: "Bahamas",
  number_type: "mobile",
  prefix: "1242",
  description: "Bahamas mobile",
  rate_per_minute: "0.3250",
  first_interval_s: 1,
  next_interval_s: 1,
  deck_id: "0197a000-0000-7000-8000-000000000001",
  deck_effective_at: "2026-05-18T00:00:00.000Z",
};

test("a refusal says when to try again only where waiting helps", () => {
  const frozen = refusalError(refuse("frozen"), PRICE);
  expect([frozen.code, frozen.retryAfterSeconds]).toEqual(["account_frozen", undefined]);
  const breaker = refusalError(refuse("breaker", {}, { waitSeconds: 90 }), PRICE);
  expect([breaker.code, breaker.retryAfterSeconds, breaker.message]).toEqual([
    "destination_paused",
    90,
    "Calls to this destination are paused for now. Try again later.",
  ]);
  const busy = refusalError(refuse("same_number", {}, { waitSeconds: 90 }), PRICE);
  expect([busy.retryAfterSeconds, busy.message]).toEqual([90, expect.stringContaining("90 seconds")]);
});

test("a destination that is not open yet says what opens it, by the rules in force", () => {
  const { known, trusted, minKeptMicros } = TIER_RULES;
  expect([known.accountDays, known.payments, known.authenticatedPayments]).toEqual([7, 2, 1]);
  expect(minKeptMicros).toBeLessThanOrEqual(MIN_TOP_UP_MICROS);
  expect(refusalError(refuse("not_open"), PRICE).message).toBe(
    "Calls to this destination are not open to new accounts. They open after 7 days and two top-ups, one confirmed by your bank.",
  );
  expect([trusted.settledForDays, trusted.settledMicros]).toEqual([45, 50_000_000n]);
  expect(trusted.accountDays).toBeLessThan(trusted.settledForDays);
  expect(refusalError(refuse("trusted_only"), PRICE).message).toBe(
    "Only long-time customers can call this destination. It opens 45 days after you have topped up $50.",
  );
});

test("a refusal because of a higher price contains that price", () => {
  const error = refusalError(refuse("price"), PRICE);
  const { code, price, message } = error.body();
  expect([code, error.status, price]).toEqual(["price_changed", 409, PRICE]);
  expect(message).toBe("The price is now $0.3250 per minute. Confirm it to call.");
});
