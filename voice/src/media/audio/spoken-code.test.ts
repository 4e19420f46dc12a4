import { languages } from "@farline/domain/languages.ts";
import { expect, it } from "vitest";
import { SAMPLES_PER_SECOND } from "./g711.ts";
import { spokenCode } from "./spoken-code.ts";

it.each(languages)(
  "a spoken code in %s has a recording for each digit, is read three times, and takes less than a minute",
  (language) => {
    const sounds = Array.from({ length: 10 }, (_, digit) => spokenCode(String(digit), language));
    expect(new Set(sounds.map(String)).size).toBe(10);
    const [shortest, ...longer] = ["1", "11", "111"].map((code) => spokenCode(code, language).length);
    const digit = ((longer[0] ?? 0) - (shortest ?? 0)) / 3;
    expect((longer[1] ?? 0) - (longer[0] ?? 0)).toBe(digit * 3);
    expect(digit / SAMPLES_PER_SECOND).toBeGreaterThan(0.5);
    expect(spokenCode("888888", language).length / SAMPLES_PER_SECOND).toBeLessThan(60);
  },
);
