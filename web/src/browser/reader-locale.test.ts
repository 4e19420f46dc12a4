import { afterEach, describe, expect, test, vi } from "vitest";
import { browserCountry, readerLocale, readerTimeZone } from "./reader-locale.ts";

const reports = (languages: readonly unknown[] | undefined, language = "") => vi.stubGlobal("navigator", { languages, language });

afterEach(() => vi.unstubAllGlobals());

describe("a browser's languages", () => {
  test.each([
    [["en-US"], "en-US", "US"],
    [["en-US@posix"], "en-US", "US"],
    [["en_US.UTF-8"], "en-US", "US"],
    [["C"], "en", undefined],
    [["POSIX"], "en", undefined],
    [[""], "en", undefined],
    [["*", "de-DE@posix", "en-GH"], "en-GH", "DE"],
    [["x-private", "en"], "en", undefined],
    [["es-419", "en-GB-oxendict"], "en-GB-oxendict", "GB"],
    [["en-u-ca-buddhist-nu-thai"], "en-u-ca-buddhist-nu-thai", undefined],
    [["EN-gb"], "en-GB", "GB"],
    [[], "en", undefined],
  ])("%j read as %s, of %s", (languages, locale, country) => {
    reports(languages);
    expect(readerLocale("en")).toBe(locale);
    expect(browserCountry()).toBe(country);
    expect(() => new Intl.DateTimeFormat(readerLocale("en"))).not.toThrow();
  });

  test("may be one only, or none", () => {
    reports(undefined, "fr-CA");
    expect([readerLocale("fr"), browserCountry()]).toEqual(["fr-CA", "CA"]);
    vi.stubGlobal("navigator", undefined);
    expect([readerLocale("fr"), browserCountry()]).toEqual(["fr", undefined]);
  });
});

test.each([
  ["Europe/London", "Europe/London"],
  [undefined, "UTC"],
  ["Etc/Unknown", "UTC"],
])("the time zone %s is %s", (timeZone, wanted) => {
  vi.spyOn(Intl.DateTimeFormat.prototype, "resolvedOptions").mockReturnValue({ timeZone } as Intl.ResolvedDateTimeFormatOptions);
  expect(readerTimeZone()).toBe(wanted);
});
