import { describe, expect, test } from "vitest";
import { countries } from "./countries.ts";
import { countrySlug } from "./country-slug.ts";
import { exampleNumber } from "../numbers/example-number.ts";
import { timeZoneOf } from "./time-zones.ts";

const selectable = countries.filter((country) => country.selectable);

describe("a country's address", () => {
  test.each([
    ["United Kingdom", "united-kingdom"],
    ["Côte d’Ivoire", "cote-divoire"],
    ["São Tomé and Príncipe", "sao-tome-and-principe"],
    ["Congo (Kinshasa)", "congo-kinshasa"],
  ])("%s is %s", (name, slug) => expect(countrySlug(name)).toBe(slug));

  test("every selectable country has one of its own, of plain letters", () => {
    const slugs = selectable.map((country) => countrySlug(country.name));
    expect(new Set(slugs).size).toBe(slugs.length);
    for (const slug of slugs) expect(slug).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
  });
});

describe("a country's clock", () => {
  test("every selectable country has a zone that computers know", () => {
    const known = (timeZone: string | null) => timeZone !== null && Intl.DateTimeFormat("en", { timeZone }).format(0) !== "";
    expect(selectable.filter(({ iso2 }) => !known(timeZoneOf(iso2)))).toEqual([]);
  });

  test("where a country has several zones, the capital's counts", () => {
    expect([timeZoneOf("US"), timeZoneOf("AU"), timeZoneOf("RU")]).toEqual([
      "America/New_York",
      "Australia/Sydney",
      "Europe/Moscow",
    ]);
  });

  test("what is no country has none", () => {
    for (const code of ["ZZ", "XM", "constructor", ""]) expect(timeZoneOf(code)).toBeNull();
  });
});

describe("how a number looks", () => {
  test("the zero at home goes in full form, except where it belongs to the number", () => {
    expect(exampleNumber("GB")).toEqual({ national: "07400 123456", international: "+44 7400 123456" });
    expect(exampleNumber("CI")?.international).toMatch(/^\+225 0/);
  });

  test("what has no numbering plan has none", () => {
    for (const code of ["ZZ", "XM", "toString"]) expect(exampleNumber(code)).toBeNull();
  });
});
