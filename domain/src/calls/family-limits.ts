import type { Micros } from "../money.ts";
import { refuse, type CallRefusal, type RefusalRule } from "./call-refusal.ts";

/** A family's owner and its members together. */
export const MAX_FAMILY = 6;

/** Open invitations of a family. */
export const MAX_FAMILY_INVITATIONS = 5;

/** How many times the live calls of one account a family may have. Patterns, calls in a time and spending get no such factor. */
export const FAMILY_LIVE_CALLS = 3;

/** What a family's owner allows a member, and what the member's calls on the owner's credit cost so far; null for no limit. */
export interface FamilyLimits {
  readonly dailyCapMicros: Micros | null;
  readonly spentTodayMicros: Micros;
  readonly monthlyCapMicros: Micros | null;
  readonly spentThisMonthMicros: Micros;
  /** ISO codes. */
  readonly countries: readonly string[] | null;
}

/** Rules about the account that pays. Their details are the owner's own business, so the member only learns that it cannot pay. */
const ABOUT_THE_PAYER: ReadonlySet<RefusalRule> = new Set([
  "email_not_confirmed",
  "not_open",
  "trusted_only",
  "first_call_only",
  "first_call_too_short",
  "own_countries",
  "call_cap",
  "daily_cap",
  "spend",
  "fresh_credit",
  "credit",
] as const);

/** Refuses a call on the family's credit by a caller who is no longer a member, or to a country that the owner does not allow. */
export function refuseOutsideFamily(
  { isOnFamilyCredit, countryCode }: { readonly isOnFamilyCredit: boolean; readonly countryCode: string },
  { family }: { readonly family: FamilyLimits | null },
): CallRefusal | null {
  if (!isOnFamilyCredit) return null;
  if (family === null) return refuse("family_ended");
  return family.countries === null || family.countries.includes(countryCode) ? null : refuse("family_countries");
}

/** What the member's calls may still cost by each of the owner's limits; may be negative. */
export function familyBudgets(
  family: FamilyLimits | null,
): { readonly micros: Micros; readonly boundedBy: "family_limit"; readonly rule: "family_daily_cap" | "family_monthly_cap" }[] {
  if (family === null) return [];
  const { dailyCapMicros, monthlyCapMicros, spentTodayMicros, spentThisMonthMicros } = family;
  const boundedBy = "family_limit";
  return [
    ...(dailyCapMicros === null
      ? []
      : [{ micros: dailyCapMicros - spentTodayMicros, boundedBy, rule: "family_daily_cap" } as const]),
    ...(monthlyCapMicros === null
      ? []
      : [{ micros: monthlyCapMicros - spentThisMonthMicros, boundedBy, rule: "family_monthly_cap" } as const]),
  ];
}

/** The refusal as the member may see it. */
export function asSeenByMember(refused: CallRefusal): CallRefusal {
  return ABOUT_THE_PAYER.has(refused.rule) ? refuse("family_credit", { rule: refused.rule, ...refused.inputs }) : refused;
}
