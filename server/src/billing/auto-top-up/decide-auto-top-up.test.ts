import { NO_TERMS } from "@farline/domain/business/customer-terms.ts";
import { TOP_UP_LIMITS } from "@farline/domain/business/top-up-limits.ts";
import { DAY_MS, MINUTE_MS } from "@farline/domain/durations.ts";
import { expect, test } from "vitest";
import { decideAutoTopUp, type AutoTopUpFacts } from "./decide-auto-top-up.ts";

const NOW = new Date("2026-05-20T12:00:00Z");
const ago = (ms: number) => new Date(NOW.getTime() - ms);

/** An old account with low credit that passes every rule. */
const facts: AutoTopUpFacts = {
  settings: { isOn: true, stopped: null, thresholdMicros: 5_000_000n, amountMicros: 20_000_000n },
  cardConfirmed: false,
  frozen: false,
  passwordResetAt: null,
  debtMicros: 0n,
  creditMicros: 4_999_999n,
  isWithdrawn: false,
  isCharging: false,
  charges: [],
  history: {
    createdAt: ago(40 * DAY_MS),
    emailVerified: true,
    everDisputed: false,
    terms: NO_TERMS,
    authenticatedPayments: 1,
    paidPayments: 3,
    longSettledMicros: 0n,
    recentlyPaid: [],
    open: [],
    checkouts: [],
    declines: [],
  },
};

const decide = (change: Partial<AutoTopUpFacts>, scale = 1) =>
  decideAutoTopUp({ ...facts, ...change }, { now: NOW, scale, limits: TOP_UP_LIMITS });
const charge = (minutesAgo: number, dollars = 20n, paid = true) => ({
  at: ago(minutesAgo * MINUTE_MS),
  amountMicros: dollars * 1_000_000n,
  paid,
});

test("an automatic top-up charges only below the threshold", () => {
  expect(decide({})).toEqual({ kind: "charge" });
  expect(decide({ creditMicros: 5_000_000n })).toEqual({ kind: "enough" });
  // A running call may have used more than the balance.
  expect(decide({ creditMicros: -1n })).toEqual({ kind: "charge" });
});

test("an automatic top-up that is off or stopped charges nothing", () => {
  expect(decide({ settings: { ...facts.settings, isOn: false } })).toEqual({ kind: "off" });
  const stopped = { ...facts.settings, stopped: "declined" as const };
  expect(decide({ settings: stopped })).toEqual({ kind: "stopped", reason: "declined" });
});

test("an automatic top-up does not charge while another charge is pending", () => {
  expect(decide({ isCharging: true })).toEqual({ kind: "charging" });
});

test.each<[string, Partial<AutoTopUpFacts>, Date | null]>([
  ["frozen", { frozen: true }, null],
  ["account_new", { history: { ...facts.history, createdAt: ago(6 * DAY_MS) } }, ago(-DAY_MS)],
  ["no_confirmed_payment", { history: { ...facts.history, authenticatedPayments: 0 } }, null],
  ["password_reset", { passwordResetAt: ago(DAY_MS - MINUTE_MS) }, ago(-MINUTE_MS)],
  ["debt", { debtMicros: 1n }, null],
  ["withdrawn", { isWithdrawn: true }, null],
  ["cool_down", { charges: [charge(9)] }, ago(-MINUTE_MS)],
  ["day_limit", { charges: [charge(60), charge(120), charge(600)] }, new Date(ago(600 * MINUTE_MS).getTime() + DAY_MS)],
  ["day_limit", { charges: [charge(60, 90n)] }, new Date(ago(60 * MINUTE_MS).getTime() + DAY_MS)],
  ["top_up_limit", { history: { ...facts.history, open: [{ id: "a", amountMicros: 199_000_000n }] } }, null],
])("an automatic top-up waits because of %s", (reason, change, until) => {
  expect(decide(change)).toEqual({ kind: "waiting", reason, until });
});

test("failed charges count towards the daily number, not the daily amount", () => {
  expect(decide({ charges: [charge(60, 90n, false)] })).toEqual({ kind: "charge" });
  const failed = [charge(60, 20n, false), charge(120, 20n, false), charge(180, 20n, false)];
  expect(decide({ charges: failed })).toMatchObject({ reason: "day_limit" });
});

test("past charges stop counting after their period", () => {
  const change = {
    passwordResetAt: ago(DAY_MS),
    charges: [charge(10)],
    history: { ...facts.history, createdAt: ago(7 * DAY_MS) },
  };
  expect(decide(change)).toEqual({ kind: "charge" });
});

test("with limits off, only the rules that protect the customer apply", () => {
  const young = { ...facts.history, createdAt: NOW, authenticatedPayments: 0 };
  const change = { history: young, passwordResetAt: NOW, charges: [charge(0), charge(0), charge(0), charge(0, 90n)] };
  expect(decide(change, 0)).toEqual({ kind: "charge" });
  expect(decide({ ...change, debtMicros: 1n }, 0)).toMatchObject({ reason: "debt" });
  expect(decide({ ...change, isCharging: true }, 0)).toEqual({ kind: "charging" });
  expect(decide({ ...change, frozen: true }, 0)).toMatchObject({ reason: "frozen" });
});
