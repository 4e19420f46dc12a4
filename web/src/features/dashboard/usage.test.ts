import { describe, expect, test } from "vitest";
import { type CountryUsage, minutesOf, rankCountries, shareOf, sumOf } from "./usage.ts";

const country = (code: string, seconds: number, spend: string): CountryUsage => ({
  country_code: code,
  country_name: code,
  calls: 1,
  seconds,
  spend,
});

describe("the charts", () => {
  test("add exactly to the micro-dollar", () => {
    const many = Array.from({ length: 10 }, () => country("GH", 1, "0.100001"));
    expect(sumOf(many)).toEqual({ calls: 10, seconds: 10, spend: "1.00001" });
    expect(sumOf([])).toEqual({ calls: 0, seconds: 0, spend: "0.00" });
  });

  test("rank countries by the selected quantity, and include every call", () => {
    const all = [country("GH", 10, "9.00"), country("IN", 300, "0.10"), country("GB", 20, "1.00")];
    expect(rankCountries(all, "spend", 2).first.map(({ country_code }) => country_code)).toEqual(["GH", "GB"]);
    expect(rankCountries(all, "minutes", 2).first.map(({ country_code }) => country_code)).toEqual(["IN", "GB"]);
    expect(rankCountries(all, "spend", 2).others).toEqual({ count: 1, usage: { calls: 1, seconds: 300, spend: "0.10" } });
    expect(rankCountries(all, "spend", 3).others).toBeNull();
  });

  test("draw the largest value in full, and zero as nothing", () => {
    const [largest, none] = [country("GH", 10, "2.00"), country("IN", 0, "0.00")];
    expect(shareOf(largest, [largest, none], "spend")).toBe(1);
    expect(shareOf(none, [none], "minutes")).toBe(0);
    expect(minutesOf(country("GH", 61, "0.00"))).toBe(2);
  });
});
