import { describe, expect, test } from "vitest";
import { countries } from "./countries.ts";
import { countrySlug } from "./country-slug.ts";
import { exampleNumber } from "../numbers/example-number.ts";
import { timeZoneOf } from "./time-zones.ts";

const selectable = countries.filter((country) => country.selectable);

describe("a country's slug", () => {
  test.each([
    ["United Kingdom", "united-kingdom"],
    ["Côte d’Ivoire", "cote-divoire"],
    ["São Tomé and Príncipe", "sao-tome-and-principe"],
    ["Congo (Kinshasa)", "congo-kinshasa"],
  ])("for %s is %s", (name, slug) => expect(countrySlug(name)).toBe(slug));

  test("is unique and consists of plain letters, for every selectable country", () => {
    const slugs = selectable.map((country) => countrySlug(country.name));
    expect(new Set(slugs).size).toBe(slugs.length);
    for (const slug of slugs) expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  });
});

describe("a country's time zone", () => {
  test("is known to the runtime, for every selectable country", () => {
    const known = (timeZone: string | null) => timeZone !== null && Intl.DateTimeFormat("en", { timeZone }).format(0) !== "";
    expect(selectable.filter(({ iso2 }) => !known(timeZoneOf(iso2)))).toEqual([]);
  });

  test("is the capital's if the country has several", () => {
    expect([timeZoneOf("US"), timeZoneOf("AU"), timeZoneOf("RU")]).toEqual([
      "America/New_York",
      "Australia/Sydney",
      "Europe/Moscow",
    ]);
  });

  test("is null for an unknown country", () => {
    for (const code of ["ZZ", "XM", "constructor", ""]) expect(timeZoneOf(code)).toBeNull();
  });
});

describe("a country's example number", () => {
  test("loses the national zero in international format, except where it is part of the number", () => {
    expect(exampleNumber("GB")).toEqual({ national: "07400 123456", international: "+44 7400 123456" });
    expect(exampleNumber("CI")?.international).toMatch(/^\+225 0/);
  });

  test("is null without a numbering plan", () => {
    for (const code of ["ZZ", "XM", "toString"]) expect(exampleNumber(code)).toBeNull();
  });
});
