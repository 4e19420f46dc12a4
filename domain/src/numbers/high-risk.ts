import { COUNTRY_RISKS, PREFIX_RISKS } from "../data/high-risk-rows.ts";

/**
 * block: refused for all customers unless the operator opens it. high: genuine destinations with strict limits. watch: ordinary limits
 * and an alert on sudden use.
 */
export type RiskLevel = "block" | "high" | "watch";

export interface Risk {
  readonly level: RiskLevel;
  /** Shown to operators and in logs. */
  readonly reason: string;
}

const SEVERITY: Record<RiskLevel, number> = { watch: 1, high: 2, block: 3 };
/** The pay-per-call exchange 976 of every North American area code, which no prefix can express. */
const NANP_976 = /^1[2-9]\d\d976\d{4}$/;
const NANP_976_RISK: Risk = { level: "block", reason: "pay-per-call exchange in any area code" };

const byPrefix = new Map<string, Risk>();
let longestPrefix = 0;
for (const { level, reason, prefixes } of PREFIX_RISKS)
  for (const prefix of prefixes.split(" ")) {
    byPrefix.set(prefix, { level, reason });
    longestPrefix = Math.max(longestPrefix, prefix.length);
  }
const byCountry = new Map(COUNTRY_RISKS.map(([iso2, level, reason]) => [iso2, { level, reason } satisfies Risk]));

/**
 * The highest known risk of a call to this number, or null for an ordinary one.
 * @param e164 with or without the plus
 * @param countryCode the country of the number's rate
 */
export function riskOf(e164: string, countryCode: string): Risk | null {
  const digits = e164.replace(/^\+/, "");
  const found: (Risk | undefined)[] = [byCountry.get(countryCode), NANP_976.test(digits) ? NANP_976_RISK : undefined];
  for (let length = 1; length <= Math.min(longestPrefix, digits.length); length++)
    found.push(byPrefix.get(digits.slice(0, length)));
  return found.reduce<Risk | null>(
    (worst, risk) => (risk !== undefined && (worst === null || SEVERITY[risk.level] > SEVERITY[worst.level]) ? risk : worst),
    null,
  );
}
