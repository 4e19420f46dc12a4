import { expect, test } from "vitest";
import { parseSupportHours } from "./support-hours.ts";

test("hours of several spans are read, with their time zone", () => {
  expect(parseSupportHours("mon-fri 09:00-18:30, sat 10:00-14:00 Europe/London")).toEqual({
    spans: [
      { first_day: 1, last_day: 5, from_minute: 540, to_minute: 1110 },
      { first_day: 6, last_day: 6, from_minute: 600, to_minute: 840 },
    ],
    time_zone: "Europe/London",
  });
});

test.each([
  "",
  "every day",
  "mon-fri 09:00-18:00",
  "mon-fri 09:00-18:00 Europe/Atlantis",
  "fri-mon 09:00-18:00 UTC",
  "mon 18:00-09:00 UTC",
  "mon 25:00-26:00 UTC",
  "mon 9-18 UTC",
  "mon 09:00-10:00, tue 09:00-10:00, wed 09:00-10:00, thu 09:00-10:00, fri 09:00-10:00 UTC",
])("%j is refused", (text) => {
  expect(parseSupportHours(text)).toBeNull();
});
