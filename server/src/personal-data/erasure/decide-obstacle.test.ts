import { expect, test } from "vitest";
import { obstacleOfErasure, obstacleOfRequest, type ClosingAccount } from "./decide-obstacle.ts";

const IDLE = { frozen: false, liveCall: false, pendingPayment: false, openRefund: false, openRequest: false, disputes: [] };
const account = (business: Partial<ClosingAccount["business"]> = {}, money: Partial<ClosingAccount> = {}): ClosingAccount => ({
  business: { ...IDLE, ...business },
  balanceMicros: 0n,
  debtMicros: 0n,
  withdrawableMicros: 0n,
  ...money,
});

test.each([
  ["frozen", account({ frozen: true }), true],
  ["live_call", account({ liveCall: true }), true],
  ["withdrawable_credit", account({}, { balanceMicros: 5n, withdrawableMicros: 5n }), true],
  ["debt", account({}, { debtMicros: 1n }), true],
  ["pending_payment", account({ pendingPayment: true }), false],
  ["open_refund", account({ openRefund: true }), false],
  ["open_dispute", account({ disputes: ["won", "under_review"] }), false],
  ["open_dispute", account({ disputes: ["warning_needs_response"] }), false],
  ["open_dispute", account({ disputes: ["a status of next year"] }), false],
  ["open_request", account({ openRequest: true }), false],
  ["credit", account({}, { balanceMicros: 11n }), false],
] as const)("%s stands in the way", (obstacle, leaving, alsoOfRequest) => {
  expect(obstacleOfErasure(leaving, 10n)).toBe(obstacle);
  expect(obstacleOfRequest(leaving)).toBe(alsoOfRequest ? obstacle : null);
});

test("an idle account with closed disputes and forfeited credit can be erased", () => {
  const leaving = account({ disputes: ["won", "lost", "warning_closed"] }, { balanceMicros: 10n });
  expect(obstacleOfErasure(leaving, 10n)).toBeNull();
});
