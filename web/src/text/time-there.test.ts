import { expect, it } from "vitest";
import { timeThere } from "./time-there.ts";

it.each([
  ["GH", "2026-06-01T21:59:00Z", { time: "21:59", night: false, capital: false }],
  ["GH", "2026-06-01T22:00:00Z", { time: "22:00", night: true, capital: false }],
  ["IN", "2026-06-01T01:29:00Z", { time: "06:59", night: true, capital: false }],
  ["IN", "2026-06-01T01:30:00Z", { time: "07:00", night: false, capital: false }],
  ["US", "2026-06-01T04:00:00Z", { time: "00:00", night: true, capital: true }],
])("in %s at %s", (country, now, there) => {
  expect(timeThere(country, new Date(now))).toEqual(there);
});

it("is not known for a place without a country", () => {
  expect(timeThere("XS", new Date())).toBeNull();
});
