import { afterEach, expect, it, vi } from "vitest";
import { timeThere } from "./time-there.ts";

afterEach(() => vi.restoreAllMocks());

it.each([
  ["Africa/Accra", "2026-06-01T21:59:00Z", { time: "9:59\u00a0PM", minutes: 1319, night: false }],
  ["Africa/Accra", "2026-06-01T22:00:00Z", { time: "10:00\u00a0PM", minutes: 1320, night: true }],
  ["Asia/Kolkata", "2026-06-01T01:29:00Z", { time: "6:59\u00a0AM", minutes: 419, night: true }],
  ["Asia/Kolkata", "2026-06-01T01:30:00Z", { time: "7:00\u00a0AM", minutes: 420, night: false }],
  ["America/New_York", "2026-06-01T04:00:00Z", { time: "12:00\u00a0AM", minutes: 0, night: true }],
])("in %s at %s", (zone, now, there) => {
  expect(timeThere(zone, new Date(now))).toEqual(there);
});

it("is not known where the clock is not, or where the browser does not know its name", () => {
  for (const zone of [null, "America/Newer_Than_This"]) expect(timeThere(zone, new Date())).toBeNull();
});

it("is on the 24-hour clock for readers who write times so", () => {
  vi.spyOn(navigator, "languages", "get").mockReturnValue(["en-GB", "en"]);
  expect(timeThere("Africa/Accra", new Date("2026-06-01T19:42:00Z"))?.time).toBe("19:42");
});
