import type { CreditPackage } from "@farline/contract/billing.ts";
import { type Micros, parseDollars } from "@farline/domain/money.ts";

/** The package that gives the most credit for at most `pays`; undefined if none gives more than the amount itself. */
export function betterPackage(packages: readonly CreditPackage[], pays: Micros): CreditPackage | undefined {
  return packages
    .filter((offer) => micros(offer.amount) <= pays && micros(offer.total_credits) > pays)
    .toSorted((a, b) => b.total_credits - a.total_credits || a.amount - b.amount)[0];
}

function micros(dollars: number): Micros {
  return parseDollars(dollars) ?? 0n;
}
