import { expect, test } from "vitest";
import { isRefusedDestination } from "./destination-kind.ts";
import { normalizeNumber } from "./phone-number.ts";
import type { DeckRow } from "../rates/deck-rows.ts";

const row = (prefix: string, countryCode: string, numberType = "fixed_or_mobile"): DeckRow => ({
  prefix,
  description: "Test",
  countryCode,
  numberType,
  ratePerMinuteMicros: 10_000n,
  firstIntervalSeconds: 1,
  nextIntervalSeconds: 1,
});

function isRefused(e164: string, price: DeckRow): boolean {
  const number = normalizeNumber(e164, null);
  if (!number.ok) throw new Error(`${e164} is no number: ${number.problem}`);
  return isRefusedDestination(number, price);
}

const us = row("1", "US");

test.each([
  ["directory", "+12125551212"],
  ["pay per call", "+12129761234"],
  ["test", "+12129581234"],
  ["test", "+12129591234"],
  ["carrier access", "+12129501234"],
  ["a service code as exchange", "+12129112345"],
  ["a service code as area code", "+19112345678"],
  ["personal", "+15002345678"],
  ["personal", "+15212345678"],
  ["Canadian satellite and data", "+16002345678"],
  ["carriers' own", "+17002345678"],
  ["government", "+17102345678"],
  ["inbound international", "+14562345678"],
  ["premium", "+19002345678"],
  ["toll free", "+18002345678"],
  ["an area code nobody has", "+15552345678"],
  ["an exchange beginning with 1", "+12121234567"],
])("%s, %s, is refused at a price for the whole country", (_what, number) => {
  expect(isRefused(number, us)).toBe(true);
});

test.each([
  ["+17002345678", "1700"],
  ["+12129581234", "1212958"],
  ["+12125551212", "12125551212"],
])("%s is sold if a price is specific to it: %s", (number, prefix) => {
  expect(isRefused(number, row(prefix, "US"))).toBe(false);
});

test("a price for an adjacent or wider range is not specific to a number", () => {
  expect(isRefused("+12129581234", row("1212", "US"))).toBe(true);
  expect(isRefused("+18002345678", row("18", "US"))).toBe(true);
  expect(isRefused("+18002345678", row("1800", "US", "toll_free"))).toBe(false);
});

test("numbers that are never dialled are refused at any price", () => {
  expect(isRefused("+19002345678", row("1900", "US"))).toBe(true);
  expect(isRefused("+19002345678", row("1900", "US", "toll_free"))).toBe(true);
  expect(isRefused("+12125550123", row("1212555", "US", "premium"))).toBe(true);
  expect(isRefused("+881612345678", row("8816", "XG", "satellite"))).toBe(true);
});

test("a number without a price is refused only if its kind is never dialled", () => {
  expect(isRefusedDestination({ e164: "+19002345678", type: "premium" }, null)).toBe(true);
  expect(isRefusedDestination({ e164: "+12125550123", type: "fixed_or_mobile" }, null)).toBe(false);
});

test("an unassigned number that starts with an emergency number is refused, an assigned one is not", () => {
  expect(isRefused("+491121234567", row("4911", "DE"))).toBe(true);
  expect(isRefused("+919112345678", row("919", "IN", "mobile"))).toBe(false);
  // Burkina Faso's police answer 17.
  expect(isRefused("+22617234567", row("22617", "BF"))).toBe(false);
});

test.each([
  ["+12125550123", us],
  ["+15202345678", row("1520", "US")],
  ["+18769581234", row("1876", "JM")],
  ["+421912123456", row("421912", "SK", "mobile")],
  ["+4916055123456", row("49160", "DE", "mobile")],
  ["+447624123456", row("447624", "IM", "mobile")],
])("%s is not refused", (number, price) => {
  expect(isRefused(number, price)).toBe(false);
});
