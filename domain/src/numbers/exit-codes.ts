import { isSupportedCountry, Metadata } from "libphonenumber-js/max";

const patterns = new Map<string, RegExp | null>();

/**
 * Removes this country's exit code, including those of carriers; null without one. The codes are from libphonenumber's metadata
 * (`internationalPrefix`).
 */
export function stripOwnExitCode(digits: string, country: string | null): string | null {
  const code = patternOf(country)?.exec(digits)?.[0] ?? "";
  const rest = digits.slice(code.length);
  return code === "" || rest.startsWith("0") ? null : rest;
}

/** Whether the first two digits may start one of this country's exit codes, like 00 in Nigeria (009). */
export function mayStartOwnExitCode(digits: string, country: string | null): boolean {
  const pattern = patternOf(country);
  const begin = digits.slice(0, 2);
  return (
    pattern !== null &&
    Array.from({ length: 100 }, (_, at) => begin + String(at).padStart(2, "0")).some((one) => pattern.test(one))
  );
}

function patternOf(country: string | null): RegExp | null {
  if (country === null || !isSupportedCountry(country)) return null;
  const known = patterns.get(country);
  if (known !== undefined) return known;
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  const source = metadata.numberingPlan?.IDDPrefix();
  const pattern = source === undefined ? null : new RegExp(`^(?:${source})`);
  patterns.set(country, pattern);
  return pattern;
}
