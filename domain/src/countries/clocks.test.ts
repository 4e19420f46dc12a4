import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { NUMBER_CLOCKS } from "../data/number-clock-rows.ts";
import { clocksOf, clocksOfNumber } from "./clocks.ts";
import { dateOnClock, momentOnClock, offsetMinutes } from "../wall-clock.ts";
import { countries } from "./countries.ts";
import { hasSeveralClocks } from "./time-zones.ts";

/** Their second clock is not the country's: Xinjiang's is unofficial, Crimea's and Antarctica's stations' are others'. */
const OF_OTHERS = ["AQ", "CN", "UA", "UM"];

/** The same text for zones whose clocks agree all year. */
function yearOf(timeZone: string): string {
  const weeks = Array.from({ length: 52 }, (_, week) => new Date(Date.UTC(2027, 0, 1 + 7 * week)));
  return weeks.map((at) => offsetMinutes(timeZone, at)).join();
}

describe("a country's clocks", () => {
  test.each(countries.filter(({ iso2, selectable }) => selectable && !OF_OTHERS.includes(iso2)).map(({ iso2 }) => iso2))(
    "in %s are those that the time zone database has",
    (iso2) => {
      const zones = (new Intl.Locale(`und-${iso2}`) as { getTimeZones?: () => string[] | undefined }).getTimeZones?.() ?? [];
      const clocks = new Set(zones.map(yearOf));
      expect(hasSeveralClocks(iso2)).toBe(clocks.size > 1);
      if (clocks.size > 0) expect(new Set(clocksOf(iso2).map(yearOf))).toEqual(clocks);
    },
  );

  test("are none for an unknown country", () => expect(clocksOf("ZZ")).toEqual([]));
});

describe("a number's clock", () => {
  test.each([
    ["+12135550123", "US", "America/Los_Angeles"],
    ["+18085550123", "US", "Pacific/Honolulu"],
    ["+16025550123", "US", "America/Phoenix"],
    ["+19075550123", "US", "America/Anchorage"],
    ["+12195550123", "US", "America/Chicago"],
    ["+15512201111", "US", "America/New_York"],
    ["+15342201462", "US", "America/Chicago"],
    ["+16576234322", "US", "America/Los_Angeles"],
    ["+19075811400", "US", "America/Anchorage"],
    ["+16846227100", "AS", "Pacific/Pago_Pago"],
    ["+18687804765", "TT", "America/Port_of_Spain"],
    ["+380671234567", "UA", "Europe/Kyiv"],
    ["+16045550123", "CA", "America/Vancouver"],
    ["+17095550123", "CA", "America/St_Johns"],
    ["+13065550123", "CA", "America/Regina"],
    ["+74232000000", "RU", "Asia/Vladivostok"],
    ["+74012000000", "RU", "Europe/Kaliningrad"],
    ["+78452000000", "RU", "Europe/Samara"],
    ["+61892000000", "AU", "Australia/Perth"],
    ["+61889000000", "AU", "Australia/Darwin"],
    ["+61740000000", "AU", "Australia/Brisbane"],
    ["+61265632000", "AU", "Australia/Lord_Howe"],
    ["+5592991234567", "BR", "America/Manaus"],
    ["+5511991234567", "BR", "America/Sao_Paulo"],
    ["+526641234567", "MX", "America/Tijuana"],
    ["+526141234567", "MX", "America/Mexico_City"],
    ["+62361234567", "ID", "Asia/Makassar"],
    ["+34928123456", "ES", "Atlantic/Canary"],
    ["+351296123456", "PT", "Atlantic/Azores"],
    ["+6433050123", "NZ", "Pacific/Chatham"],
    ["+56612123456", "CL", "America/Punta_Arenas"],
    ["+233200000142", "GH", "Africa/Accra"],
    ["+77010000000", "KZ", "Asia/Almaty"],
    ["+8613800000000", "CN", "Asia/Shanghai"],
  ])("%s in %s is %s", (e164, iso2, zone) => expect(clocksOfNumber(e164, iso2)).toEqual([zone]));

  test.each([
    ["+61412345678", "AU", 7],
    ["+79161234567", "RU", 13],
    ["+628123456789", "ID", 3],
    ["+243810000000", "CD", 2],
    ["+34612345678", "ES", 2],
    ["+97699112233", "MN", 2],
    ["+18005550123", "US", 8],
    ["+12085550123", "US", 2],
    ["+18675550123", "CA", 4],
  ])("%s in %s can be one of %i", (e164, iso2, count) => expect(clocksOfNumber(e164, iso2)).toHaveLength(count));

  test("comes from rows that name clocks of the digits' own country, each prefix once", () => {
    const prefixes = Object.entries(NUMBER_CLOCKS).flatMap(([zones, digits]) =>
      digits
        .trim()
        .split(/\s+/)
        .map((prefix) => ({ prefix, zones: zones.split(" ") })),
    );
    expect(new Set(prefixes.map(({ prefix }) => prefix)).size).toBe(prefixes.length);
    for (const { prefix, zones } of prefixes) {
      const owners = countries.filter(({ iso2, dialCode }) => hasSeveralClocks(iso2) && prefix.startsWith(dialCode));
      expect(owners.some(({ iso2 }) => zones.every((zone) => clocksOf(iso2).includes(zone)))).toBe(true);
    }
  });
});

describe("a date and time on a clock", () => {
  test.each([
    ["London", "Europe/London", "2027-07-01 18:00", "2027-07-01T17:00Z"],
    ["London, twice: the first", "Europe/London", "2027-10-31 01:30", "2027-10-31T00:30Z"],
    ["London, after the repeated hour", "Europe/London", "2027-10-31 02:00", "2027-10-31T02:00Z"],
    ["London, skipped", "Europe/London", "2027-03-28 01:30", "2027-03-28T01:30Z"],
    ["New York, twice", "America/New_York", "2027-11-07 01:30", "2027-11-07T05:30Z"],
    ["New York, skipped", "America/New_York", "2027-03-14 02:30", "2027-03-14T07:30Z"],
    ["Lord Howe, half an hour twice", "Australia/Lord_Howe", "2027-04-04 01:45", "2027-04-03T14:45Z"],
    ["Lord Howe, half an hour skipped", "Australia/Lord_Howe", "2027-10-03 02:15", "2027-10-02T15:45Z"],
    ["Santiago, skipped at midnight", "America/Santiago", "2027-09-05 00:30", "2027-09-05T04:30Z"],
    ["Santiago, twice before midnight", "America/Santiago", "2027-04-03 23:30", "2027-04-04T02:30Z"],
    ["Casablanca, twice as Ramadan begins", "Africa/Casablanca", "2026-02-15 02:30", "2026-02-15T01:30Z"],
    ["Casablanca, skipped as Ramadan ends", "Africa/Casablanca", "2026-03-22 02:30", "2026-03-22T02:30Z"],
    ["Dublin, twice", "Europe/Dublin", "2027-10-31 01:30", "2027-10-31T00:30Z"],
    ["Apia, a day skipped", "Pacific/Apia", "2011-12-30 12:00", "2011-12-30T22:00Z"],
    ["Apia, the day after", "Pacific/Apia", "2011-12-31 00:30", "2011-12-30T10:30Z"],
    ["Kathmandu", "Asia/Kathmandu", "2027-01-01 00:15", "2026-12-31T18:30Z"],
    ["Chatham, twice", "Pacific/Chatham", "2027-04-04 03:00", "2027-04-03T13:15Z"],
    ["Kiritimati", "Pacific/Kiritimati", "2027-01-01 06:00", "2026-12-31T16:00Z"],
  ])("%s", (_case, timeZone, shown, moment) => {
    const [date = "", time = ""] = shown.split(" ");
    expect(momentOnClock({ date, time, timeZone }).toISOString()).toBe(moment.replace("Z", ":00.000Z"));
  });

  property.prop([
    fc.constantFrom(
      "Europe/London",
      "America/New_York",
      "Australia/Lord_Howe",
      "Africa/Casablanca",
      "Pacific/Chatham",
      "Asia/Gaza",
    ),
    fc.integer({ min: Date.UTC(2026, 0) / 60_000, max: Date.UTC(2030, 0) / 60_000 }),
  ])("is never later than any moment that the clock shows it", (timeZone, minutes) => {
    const at = new Date(minutes * 60_000);
    const shown = new Date(at.getTime() + offsetMinutes(timeZone, at) * 60_000).toISOString();
    const moment = momentOnClock({ date: shown.slice(0, 10), time: shown.slice(11, 16), timeZone });
    expect(moment.getTime()).toBeLessThanOrEqual(at.getTime());
    expect(at.getTime() - moment.getTime()).toBeLessThanOrEqual(3_600_000);
  });

  test.each([
    ["Africa/Accra", 0, 0],
    ["Asia/Kolkata", 330, 330],
    ["Europe/London", 0, 60],
    ["America/New_York", -300, -240],
    ["Pacific/Kiritimati", 840, 840],
    ["Asia/Kathmandu", 345, 345],
  ])("%s is %i minutes from UTC in winter and %i in summer, over midnight too", (zone, inWinter, inSummer) => {
    const offset = (at: string) => offsetMinutes(zone, new Date(at));
    expect([offset("2026-01-15T22:30:00Z"), offset("2026-07-15T22:30:00Z")]).toEqual([inWinter, inSummer]);
  });

  test.each([
    ["America/Los_Angeles", "2026-11-29T04:00:00Z", "2026-11-28"],
    ["Pacific/Auckland", "2026-11-28T20:00:00Z", "2026-11-29"],
    ["Pacific/Kiritimati", "2026-11-28T10:00:00Z", "2026-11-29"],
  ])("in %s the day at %s is %s", (timeZone, at, date) => expect(dateOnClock(new Date(at), timeZone)).toBe(date));
});
