import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { PLACE_ROWS } from "../data/place-rows.ts";
import { languages } from "../languages.ts";
import { countries, countryByCode } from "./countries.ts";
import { countriesNamed, findCountries } from "./find-countries.ts";

const first = (text: string): string | undefined => findCountries(text)[0];

describe("a country is found first", () => {
  test.each([
    ["codes", "GB gb GBR DEU ISL", "GB GB GB DE IS"],
    ["calling codes", "+44 44 0044 01144 +977 +1876 1-876 +7727 +4420 +８８０", "GB GB GB GB NP JM JM KZ GB BD"],
    [
      "everyday names",
      "UK USA U.S.A. UAE KSA DRC RSA PNG Korea Holland England Scotland Wales Britain",
      "GB US US AE SA CD ZA PG KR NL GB GB GB GB",
    ],
    [
      "former names",
      "Burma Zaire Swaziland Macedonia Ceylon Persia Siam Turkey Rhodesia Upper·Volta",
      "MM CD SZ MK LK IR TH TR ZW BF",
    ],
    ["names in our languages", "Allemagne Alemania ألمانيا जर्मनी Germany", "DE DE DE DE DE"],
    ["names in their own", "Deutschland 日本 Россия 한국 Ελλάδα Magyarország Suomi", "DE JP RU KR GR HU FI"],
    ["territories", "Hawaii Scotland Tahiti Zanzibar Dubai Sharjah Gaza Saba", "US GB PF TZ AE AE PS BQ"],
    ["cities", "Bombay Saigon Rangoon Peking München Londres القاهرة दिल्ली Constantinople NYC", "IN VN MM CN DE GB EG IN TR US"],
    ["slips", "Germny Gemrany Philipines Phillipines Columbia Ghanna Londno Switzerlnad", "DE DE PH PH CO GH GB CH"],
    ["beginnings", "germ philip saud alem हिं", "DE PH SA DE IN"],
  ])("by %s", (_, typed, codes) => {
    const texts = typed.split(" ").map((text) => text.replaceAll("·", " "));
    expect(texts.map((text) => `${text} ${first(text)}`)).toEqual(
      texts.map((text, index) => `${text} ${codes.split(" ")[index]}`),
    );
  });

  test.each([
    ["Great Britain", "GB"],
    ["Northern Ireland", "GB"],
    ["Ivory Coast", "CI"],
    ["Cote d'Ivoire", "CI"],
    ["cote d ivoire", "CI"],
    ["East Timor", "TL"],
    ["Cape Verde", "CV"],
    ["Canary Islands", "ES"],
    ["Puerto Rico", "PR"],
    ["Abu Dhabi", "AE"],
    ["Congo-Kinshasa", "CD"],
    ["Democratic Republic of the Congo", "CD"],
    ["Republic of the Congo", "CG"],
    ["Korea, Republic of", "KR"],
    ["Iran (Islamic Republic of)", "IR"],
    ["République d'Angola", "AO"],
    ["Kingdom of Saudi Arabia", "SA"],
    ["u s a", "US"],
    ["hongkong", "HK"],
    ["st kitts", "KN"],
    ["trinidad & tobago", "TT"],
    ["the netherlands", "NL"],
    ["untied kindgom", "GB"],
    ["United Status", "US"],
    ["Repulic of Korea", "KR"],
    ["Japan (is US Citizen)", "JP"],
    ["kyrzgystan", "KG"],
    ["Democratis Republic of Congo", "CD"],
    ["Elsalvador", "SV"],
    ["U.K. of Great Britain and Northern Ireland", "GB"],
    ["+44 1624", "IM"],
    ["south afrca", "ZA"],
    ["accra, ghana", "GH"],
    ["London UK", "GB"],
    ["new york", "US"],
    ["امارات", "AE"],
    ["संयुक्त राज्य अमेरिका", "US"],
  ])("by %j", (typed, code) => {
    expect(first(typed)).toBe(code);
  });
});

test("every name in each of our languages finds its country, in any case and without accents", () => {
  const missed: string[] = [];
  for (const language of languages) {
    const names = new Intl.DisplayNames([language], { type: "region", fallback: "none" });
    for (const { iso2, name } of countries) {
      const local = /^(?!X[^K])/.test(iso2) ? (names.of(iso2) ?? name) : name;
      for (const typed of [local, local.toUpperCase(), local.normalize("NFD").replace(/[\u0300-\u036f]/g, "")])
        if (!findCountries(typed, { language }).slice(0, 2).includes(iso2)) missed.push(`${iso2} ${typed}`);
    }
  }
  expect(missed).toEqual([]);
});

test("every name and city of the table finds its country", () => {
  const missed = Object.entries(PLACE_ROWS).flatMap(([iso2, row]) =>
    row.split(/[;|]/).filter((name) => name !== "" && !findCountries(name).includes(iso2)),
  );
  expect(missed).toEqual([]);
  expect(Object.keys(PLACE_ROWS).filter((iso2) => countryByCode(iso2) === undefined)).toEqual([]);
});

test("a code comes before a name that begins with it, and names before cities and slips", () => {
  expect(findCountries("in").slice(0, 2)).toEqual(["IN", "ID"]);
  expect(findCountries("uk")).toEqual(["GB", "UA"]);
  expect(findCountries("guinea")).toEqual(["GN", "GW", "GQ", "PG"]);
  expect(findCountries("congo")).toEqual(["CD", "CG"]);
  expect(findCountries("mala")).not.toContain("ES");
  expect(findCountries("ghana")).toEqual(["GH"]);
  expect(findCountries("stan")).toContain("PK");
});

test("the reader's own language comes first", () => {
  expect(findCountries("ale", { language: "es" })[0]).toBe("DE");
  expect(findCountries("alem", { language: "en" })).toEqual(["DE"]);
});

test("texts with another meaning are compared with names alone", () => {
  expect(findCountries("Paris", { only: "names" })).toEqual([]);
  expect(findCountries("Shana", { only: "names" })).toEqual([]);
  expect(findCountries("Allemagne", { only: "names" })).toEqual(["DE"]);
});

test.each(["", " ", "?", "zzzz", "qxj", "44 20 7946 0018", "00", "+", "999"])("%j finds none", (typed) => {
  expect(findCountries(typed)).toEqual([]);
});

describe("a cell of a column of countries", () => {
  test.each([
    ["UK", ["GB"]],
    ["United States", ["US"]],
    ["Korea (South)", ["KR"]],
    ["Myanmar (Burma)", ["MM"]],
    ["Venezuela, Bolivarian Republic of", ["VE"]],
    ["Congo", ["CD", "CG"]],
    ["+977", ["NP"]],
    ["00977", ["NP"]],
    ["977", ["NP"]],
    ["Alemania", ["DE"]],
    ["Germ", []],
    ["Germny", []],
    ["Paris", []],
    ["", []],
  ])("%j names %j", (text, codes) => {
    expect(countriesNamed(text)).toEqual(codes);
  });
});

property.prop({ text: fc.string({ unit: "grapheme", maxLength: 60 }) })("any text has the same answer each time", ({ text }) => {
  const found = findCountries(text);
  expect(found).toEqual(findCountries(text));
  expect(new Set(found).size).toBe(found.length);
  expect(found.filter((code) => countryByCode(code) === undefined)).toEqual([]);
});
