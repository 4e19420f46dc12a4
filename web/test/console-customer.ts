import type { LiveCall, LiveCallsResponse } from "@farline/contract/operator/live-calls.ts";
import type { OperatorCustomerResponse } from "@farline/contract/operator/customers.ts";

export const CUSTOMER = "0199bbbb-0000-7000-8000-0000000000cc";
export const CALL = "0199bbbb-0000-7000-8000-0000000000dd";
export const AT = "2026-11-26T08:00:00.000Z";

export const CUSTOMER_PAGE: OperatorCustomerResponse = {
  customer: {
    id: CUSTOMER,
    name: "Ada Kovács",
    email: "ada@example.com",
    email_verified: false,
    email_refused: false,
    language: "en",
    status: "frozen",
    frozen_because: "payment",
    closes_at: null,
    created_at: AT,
  },
  money: {
    balance: "12.50",
    held: "0.00",
    available: "12.50",
    debt: "0.00",
    bonus: "1.00",
    withdrawable: "11.50",
    alone: "20.00",
    paid: "20.00",
  },
  tier: {
    name: "unverified",
    earned: "unverified",
    limits_apply: true,
    because: {
      account_days: 3,
      email_verified: false,
      ever_disputed: false,
      paid_payments: 1,
      authenticated_payments: 0,
      long_settled: "0.00",
    },
  },
  terms: [
    { name: "tier", value: "unverified", set: null },
    { name: "live-calls", value: "1", set: null },
    { name: "spend-per-day", value: "$10.00", set: { until: AT, by: "Joan", reason: "Chargebacks" } },
  ],
  own_limits: null,
  blocked: null,
  counts: { sessions: 2, contacts: 7, live_calls: 0, open_cases: 1, open_refund_requests: 0, open_disputes: 0, saved_cards: 1 },
  caller_numbers: [],
  family: [],
  can: ["unfreeze", "confirm-address"],
};

/** What the service answers about live calls, with sums of nothing. */
export function liveAnswer(calls: readonly LiveCall[], more: Partial<LiveCallsResponse> = {}): LiveCallsResponse {
  const none = { groups: [], others: { groups: 0, calls: 0, charge: "0.00" } };
  return {
    ...{ at: AT, calls: [...calls], matching: calls.length, more: false },
    sums: { talking: 0, ringing: 0, charge: "0.00", per_minute: "0.00", held: "0.00", margin: null },
    states: { ringing: 0, short: 0, bad_sound: 0 },
    ...{ countries: none, prefixes: none, trunks: none, customers: none, exchanges: [] },
    ...more,
  };
}
