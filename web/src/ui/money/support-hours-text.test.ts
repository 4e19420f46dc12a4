import { languages } from "@farline/domain/languages.ts";
import { expect, test } from "vitest";
import { supportHoursText } from "./seller-line.tsx";

const HOURS = {
  spans: [
    { first_day: 1, last_day: 5, from_minute: 540, to_minute: 1110 },
    { first_day: 6, last_day: 6, from_minute: 600, to_minute: 840 },
  ],
  time_zone: "America/New_York",
};

test("hours name days, times and the time zone in the reader's language", () => {
  expect(supportHoursText(HOURS, "en")).toMatch(/^Mon – Fri 9:00.AM – 6:30.PM, Sat 10:00.AM – 2:00.PM \(Eastern Time\)$/);
  expect(supportHoursText(HOURS, "fr")).toMatch(/^lun\. – ven\. 9:00 – 18:30 et sam\. 10:00 – 14:00 \(heure de l’Est.*\)$/);
  expect(new Set(languages.map((language) => supportHoursText(HOURS, language))).size).toBe(languages.length);
});
