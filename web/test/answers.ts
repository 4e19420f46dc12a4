import { mapDetails } from "@farline/domain/contacts/contact-details.ts";
import type { User } from "@farline/contract/accounts.ts";
import type { AutoTopUpResponse, SavedCard } from "@farline/contract/auto-top-up.ts";
import type { Transaction } from "@farline/contract/billing.ts";
import type { CallDetailsResponse } from "@farline/contract/call-details.ts";
import type { CallerIdResponse } from "@farline/contract/caller-id.ts";
import type { Call, CallQuoteResponse } from "@farline/contract/calls.ts";
import type { SupportCase } from "@farline/contract/cases/cases.ts";
import type { Contact } from "@farline/contract/contacts.ts";
import type { CallPrice, Rate } from "@farline/contract/rates.ts";
import { type FakeService, refused } from "./fake-service.ts";
import type { AnswerOf } from "@farline/contract/api/api.ts";

/** For tests: builders of service answers with default values. */

const DAY = "2026-05-18T09:00:00.000Z";

let ids = 0;

/** A new id with each call. */
export function anId(): string {
  ids += 1;
  return `01976d00-0000-7000-8000-${String(ids).padStart(12, "0")}`;
}

export function aUser(more: Partial<User> = {}): User {
  return {
    id: "01976d00-0000-7000-8000-00000000abcd",
    name: "Grace Mensah",
    email: "grace@example.com",
    email_verified: true,
    email_refused: false,
    link_mailed: true,
    disposable_email: false,
    status: "active",
    frozen_because: null,
    closes_at: null,
    language: "en",
    has_password: true,
    created_at: DAY,
    ...more,
  };
}

export function aConfig(more: Partial<AnswerOf<"GET /api/config">> = {}): AnswerOf<"GET /api/config"> {
  return {
    mode: "live",
    sandbox_url: null,
    currency: "USD",
    google: true,
    first_call: null,
    referral: null,
    seller: {
      name: "Example Calls Ltd",
      address: ["1 Main Road", "12345 Example"],
      tax_id: null,
      registration: "Companies House 01234567",
      support_email: "help@farline.example",
      support_hours: { spans: [{ first_day: 1, last_day: 5, from_minute: 540, to_minute: 1080 }], time_zone: "Europe/London" },
      return_days: 180,
      cards: ["Visa", "Mastercard"],
      law: "England and Wales",
      sample: false,
    },
    ...more,
  };
}

export function aBalance(more: Partial<AnswerOf<"GET /api/billing/balance">> = {}): AnswerOf<"GET /api/billing/balance"> {
  return {
    balance: "5.00",
    held: "0.00",
    available: "5.00",
    debt: "0.00",
    bonus: "0.00",
    currency: "USD",
    family: null,
    ...more,
  };
}

function aRate(code: string, name: string, dialCode: string, perMinute = "0.0210"): Rate {
  return {
    id: `${code}-mobile`,
    country_code: code,
    country_name: name,
    dial_code: dialCode,
    number_type: "mobile",
    our_rate_per_minute: perMinute,
  };
}

export function aPrice(more: Partial<CallPrice> = {}): CallPrice {
  return {
    number: "+233200000142",
    country_code: "GH",
    country_name: "Ghana",
    number_type: "mobile",
    prefix: "23320",
    description: "Ghana Mobile Vodafone",
    rate_per_minute: "0.1420",
    first_interval_s: 1,
    next_interval_s: 1,
    deck_id: anId(),
    deck_effective_at: DAY,
    ...more,
  };
}

/** An allowed call at this price. */
export function aCallQuote(price: Partial<CallPrice> = {}, more: Partial<CallQuoteResponse> = {}): CallQuoteResponse {
  return { price: aPrice(price), max_seconds: 14_400, free_seconds: null, refusal: null, time_zone: null, ...more };
}

/** A finished call of 90 seconds to Ghana. */
export function aCall(more: Partial<Call> = {}): Call {
  return {
    id: anId(),
    destination_number: "+233200000142",
    destination_country: "GH",
    destination_country_name: "Ghana",
    number_type: "mobile",
    status: "completed",
    end_reason: "hangup",
    hung_up_by: "callee",
    silence: null,
    duration_seconds: 90,
    billed_seconds: 90,
    cost: "0.213000",
    rate_per_minute: "0.1420",
    first_interval_s: 1,
    next_interval_s: 1,
    rate_prefix: "23320",
    rate_description: "Ghana Mobile",
    deck_id: anId(),
    deck_effective_at: DAY,
    max_seconds: 2112,
    bounded_by: "credit",
    extendable: true,
    held: "0.00",
    contact_name: null,
    caller_number: SERVICE_NUMBER,
    telnyx_call_control_id: null,
    telnyx_call_leg_id: null,
    telnyx_cost: null,
    created_at: DAY,
    started_at: DAY,
    answered_at: DAY,
    ended_at: "2026-05-18T09:01:30.000Z",
    ...more,
  };
}

/** The number that calls show unless their customer chose another. */
export const SERVICE_NUMBER = "+12025550143";

/** The caller id of a customer without numbers of their own. */
export function aCallerId(more: Partial<CallerIdResponse["caller_id"]> = {}): CallerIdResponse {
  const callerId = { service_number: SERVICE_NUMBER, shown: SERVICE_NUMBER, numbers: [], max_numbers: 5, check: null };
  return { caller_id: { ...callerId, ...more } };
}

export function callDetails(more: Partial<CallDetailsResponse> = {}): CallDetailsResponse {
  return {
    entries: [],
    quality: { samples: [], from_caller: null, from_called: null, rating: null },
    paid_by: null,
    may_ask_refund: false,
    refund_request: null,
    ...more,
  };
}

/** An open question about no call or payment. */
export function aCase(more: Partial<SupportCase> = {}): SupportCase {
  return {
    id: anId(),
    number: 1001,
    topic: "charge",
    message: "Why 61 seconds?",
    about: null,
    state: "open",
    answer: null,
    created_at: DAY,
    answered_at: null,
    ...more,
  };
}

export function aContact(more: Partial<Contact> = {}): Contact {
  return {
    id: anId(),
    first_name: "Kwame",
    last_name: "Mensah",
    full_name: "Kwame Mensah",
    ...mapDetails(() => null),
    email: null,
    phone_number: "+233200000142",
    extension: "",
    phone_number_type: "mobile",
    notes: null,
    other_numbers: [],
    favorite: false,
    time_zone: "Africa/Accra",
    country_code: "GH",
    country_name: "Ghana",
    rate_per_minute: "0.1420",
    first_interval_s: 1,
    next_interval_s: 1,
    ...more,
  };
}

export function listOf<Item>(data: Item[], more: { next_cursor?: string | null; total?: number } = {}) {
  return { data, next_cursor: null, total: data.length, ...more };
}

export function aTransaction(more: Partial<Transaction> = {}): Transaction {
  return {
    id: anId(),
    type: "credit",
    kind: "top_up",
    description: "Card payment",
    amount: "20.00",
    balance_after: "20.00",
    status: "completed",
    about: null,
    promo_code: null,
    member: null,
    contact_name: null,
    problem: null,
    reference_id: null,
    receipt_id: null,
    checkout_url: null,
    can_pay_again: false,
    created_at: DAY,
    ...more,
  };
}

export function aCard(more: Partial<SavedCard> = {}): SavedCard {
  return { id: anId(), brand: "visa", last4: "4242", exp_month: 12, exp_year: 2040, expired: false, ...more };
}

/** Switched off, without a card. */
export function autoTopUp(more: Partial<AutoTopUpResponse> = {}): AutoTopUpResponse {
  return {
    cards: [],
    settings: { on: false, card_id: null, threshold: "5.00", amount: "20.00" },
    state: { kind: "off" },
    bounds: {
      threshold: { min: "1.00", max: "50.00" },
      amount: { min: "5.00", max: "100.00" },
      cards: 3,
      charges_a_day: 3,
      dollars_a_day: "100.00",
    },
    last: null,
    ...more,
  };
}

export function withdrawals(
  more: Partial<AnswerOf<"GET /api/billing/withdrawals">> = {},
): AnswerOf<"GET /api/billing/withdrawals"> {
  return {
    withdrawable: "0.00",
    bonus_kept: "0.00",
    not_returnable: "0.00",
    min: "1.00",
    withdrawals: { data: [], next_cursor: null },
    ...more,
  };
}

/** Answers for every page of a customer without calls, contacts or payments. */
export function answerNewCustomer(service: FakeService, user = aUser()): void {
  service.on("GET /api/config", aConfig());
  service.on("GET /api/user", { user });
  service.on("POST /api/password/reset/account", { email: user.email });
  service.on("GET /api/billing/balance", aBalance());
  service.on("GET /api/calls/live", { call: null, rejoinable: false, line_id: null, now: DAY });
  service.on("GET /api/rates", {
    rates: [
      aRate("GB", "United Kingdom", "44", "0.0100"),
      aRate("GH", "Ghana", "233", "0.1900"),
      aRate("US", "United States", "1"),
    ],
  });
  service.on("POST /api/calls/quote", refused("no_rate", "We have no rate for this number."));
  service.on("GET /api/calls/token", () => ({
    token: "voice-token",
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    voice: { host: null, ice_servers: [], trickle_ice: true },
    caller_number: "+15550001111",
  }));
  service.on("GET /api/calls/history", { calls: listOf([]) });
  service.on("GET /api/calls/totals", { totals: { calls: 0, answered: 0, seconds: 0, cost: "0.00" } });
  service.on("GET /api/calls/countries", { countries: [] });
  service.on("GET /api/calls/suggestions", { suggestions: [] });
  service.on("GET /api/calls/summary", { time_zone: "UTC", total_calls: 0, months: [], countries: [] });
  service.on("GET /api/cases", { cases: { data: [], next_cursor: null } });
  service.on("GET /api/contacts", { contacts: [], next_cursor: null, total: 0 });
  service.on("GET /api/account/sign-in-methods", { password: true, google: null, authenticator: null, passkeys: [] });
  service.on("GET /api/sessions", { sessions: [] });
  service.on("GET /api/account/activity", { activity: { data: [], next_cursor: null } });
  service.on("GET /api/calls/caller-id", aCallerId());
  service.on("GET /api/account/export", { export: null });
  service.on("GET /api/family", { family: null, max_people: 6 });
  service.on("GET /api/calls/guard-rails", {
    guard_rails: { daily_cap: null, call_cap: null, countries: null, time_zone: "UTC" },
    today: { spent: "0.00", resets_at: DAY },
  });
  service.on("GET /api/billing/packages", {
    packages: [
      { id: "p5", amount: 5, total_credits: 5, is_popular: false, bonus_percentage: 0 },
      { id: "p20", amount: 20, total_credits: 21, is_popular: true, bonus_percentage: 5 },
    ],
  });
  service.on("GET /api/billing/transactions", { transactions: listOf([]) });
  service.on("GET /api/billing/auto-top-up", autoTopUp());
  service.on("GET /api/billing/withdrawals", withdrawals());
  service.on("GET /api/reminders", { reminders: [] });
  service.on("GET /api/credit-requests", { requests: [] });
  service.on("GET /api/billing/gifts", { gifts: [] });
  service.on("GET /api/billing/receipts", { receipts: { data: [], next_cursor: null } });
  service.on("GET /api/billing/statements", { first_month: "2026-05", last_month: "2026-05" });
  service.on("GET /api/billing/statements/:month", {
    statement: {
      month: "2026-05",
      from: "2026-05-01T00:00:00.000Z",
      to: DAY,
      opening_balance: "0.00",
      change: "0.00",
      closing_balance: "0.00",
      entries: 0,
      currency: "USD",
    },
  });
}
