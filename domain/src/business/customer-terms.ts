import type { CallLimits } from "../calls/call-limits.ts";
import type { RiskTier, TierFacts } from "../calls/risk-tier.ts";
import type { TopUpLimits } from "./top-up-limits.ts";

/** The limits that operators change for one customer, each with its place in the tier's limits. */
const CALL_LIMITS = {
  "live-calls": "liveCalls",
  "calls-per-day": "callsPerDay",
  "numbers-per-day": "numbersPerDay",
  "countries-per-day": "countriesPerDay",
  "spend-per-day": "spendPerDayMicros",
  "spend-above-class-a": "spendAboveClassAMicros",
  "spend-above-class-b": "spendAboveClassBMicros",
} as const satisfies Record<string, keyof CallLimits>;
const TOP_UP_LIMITS = {
  "top-up-per-day": "perDayMicros",
  "top-up-per-week": "perWeekMicros",
} as const satisfies Record<string, keyof TopUpLimits>;

type CallLimitName = keyof typeof CALL_LIMITS;
type TopUpLimitName = keyof typeof TOP_UP_LIMITS;
export type LimitName = CallLimitName | TopUpLimitName;

/** What operators set for one customer: the tier, or one of the limits. */
export const termNames = [
  "tier",
  ...(Object.keys(CALL_LIMITS) as CallLimitName[]),
  ...(Object.keys(TOP_UP_LIMITS) as TopUpLimitName[]),
] as const;
export type TermName = (typeof termNames)[number];

/** What operators have set for a customer for a while, in place of what the customer has earned. */
export interface CustomerTerms {
  readonly tier: RiskTier | null;
  /** Micro-dollars or counts. */
  readonly limits: Readonly<Partial<Record<LimitName, bigint>>>;
}

/** The facts that determine a customer's tier, with everything that is set for them. */
export interface StandingFacts extends TierFacts {
  readonly terms: CustomerTerms;
}

/** Of a customer for whom nothing is set. */
export const NO_TERMS: CustomerTerms = { tier: null, limits: {} };

/** Reads terms by name, each as it is stored. */
export function readTerms(stored: Readonly<Record<string, string>>): CustomerTerms {
  const { tier = null, ...limits } = stored;
  const values = Object.entries(limits).map(([name, value]) => [name, BigInt(value)]);
  return { tier: tier as RiskTier | null, limits: Object.fromEntries(values) as CustomerTerms["limits"] };
}

/** The setting whose unit and bounds hold for a limit: the most trusted customers' one. */
export function settingOfLimit(name: LimitName): string {
  return isCallLimit(name) ? `call-limits.trusted.${name}` : `top-up-limits.trusted.${name.slice("top-up-".length)}`;
}

/** A tier's limits on calls, with what is set for the customer. */
export function callLimitsUnder({ limits }: CustomerTerms, ofTier: CallLimits): CallLimits {
  return withLimits(ofTier, CALL_LIMITS, limits);
}

/** A tier's limits on top-ups, with what is set for the customer. */
export function topUpLimitsUnder({ limits }: CustomerTerms, ofTier: TopUpLimits): TopUpLimits {
  return withLimits(ofTier, TOP_UP_LIMITS, limits);
}

/** A limit of a tier, or what is set for the customer in its place. */
export function limitUnder(
  terms: CustomerTerms,
  name: LimitName,
  ofTier: { readonly calls: CallLimits; readonly topUps: TopUpLimits },
): bigint {
  return BigInt(
    isCallLimit(name)
      ? callLimitsUnder(terms, ofTier.calls)[CALL_LIMITS[name]]
      : topUpLimitsUnder(terms, ofTier.topUps)[TOP_UP_LIMITS[name]],
  );
}

function isCallLimit(name: LimitName): name is CallLimitName {
  return Object.hasOwn(CALL_LIMITS, name);
}

function withLimits<Limits extends object>(
  ofTier: Limits,
  places: Readonly<Record<string, keyof Limits>>,
  set: CustomerTerms["limits"],
): Limits {
  const changed = Object.entries(places).flatMap(([name, key]) => {
    const value = set[name as LimitName];
    return value === undefined ? [] : [[key, typeof ofTier[key] === "number" ? Number(value) : value]];
  });
  return changed.length === 0 ? ofTier : { ...ofTier, ...(Object.fromEntries(changed) as Partial<Limits>) };
}
