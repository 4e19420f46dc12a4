import type { TermName } from "@farline/domain/business/customer-terms.ts";

/** What operators read for a customer's tier and limits. */
export const TERM_LABELS: Readonly<Record<TermName, string>> = {
  tier: "Tier",
  "live-calls": "Calls at a time",
  "calls-per-day": "Calls a day",
  "numbers-per-day": "Numbers a day",
  "countries-per-day": "Countries a day",
  "spend-per-day": "Spending a day",
  "spend-above-class-a": "Spending a day above class A",
  "spend-above-class-b": "Spending a day above class B",
  "top-up-per-day": "Top-ups a day",
  "top-up-per-week": "Top-ups a week",
};
