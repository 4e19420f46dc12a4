import { expect, test } from "vitest";
import { GUEST_GIFTS, guestGiftRefusal, isHeldBack } from "./guest-gifts.ts";

const DOLLAR = 1_000_000n;
const proven = { authenticated: true, othersWithCard: 0, otherGuests: 0 };

test("credit that the bank has confirmed, from a card and a guest of its own, is given at once", () => {
  expect(isHeldBack(proven, 1)).toBe(false);
});

test.each([
  ["the bank has not confirmed", { authenticated: false }],
  ["comes from a card that others pay with", { othersWithCard: 1 }],
  ["follows that of two other guests", { otherGuests: 2 }],
])("credit that %s waits, unless the limits are off", (_, change) => {
  expect([isHeldBack({ ...proven, ...change }, 1), isHeldBack({ ...proven, ...change }, 0)]).toEqual([true, false]);
});

test.each([
  [50n, 0n, 0n, null],
  [51n, 0n, 0n, "guest_most"],
  [50n, 50n, 50n, null],
  [5n, 96n, 96n, "guest_receiver"],
  [5n, 0n, 296n, "guest_receiver"],
] as const)("a guest's %d dollars after %d in a day and %d in a month: %s", (amount, day, month, refusal) => {
  const received = { dayMicros: day * DOLLAR, monthMicros: month * DOLLAR };
  expect(guestGiftRefusal(amount * DOLLAR, received, 1)).toBe(refusal);
  expect(guestGiftRefusal(amount * DOLLAR, received, 0)).toBe(null);
});

test("limits scale", () => {
  const received = { dayMicros: 0n, monthMicros: 0n };
  expect(guestGiftRefusal(GUEST_GIFTS.mostMicros * 2n, received, 2)).toBe(null);
  expect(guestGiftRefusal(GUEST_GIFTS.mostMicros, received, 0.5)).toBe("guest_most");
});
