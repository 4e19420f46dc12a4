import type { DeckComparison } from "./compare-decks.ts";

/** Beyond these limits, which a misplaced decimal point would exceed, an operator must confirm the number of jumps. */
const MAX_JUMPS_PERCENT = 5;
const LOWEST_MEDIAN = 700;
const HIGHEST_MEDIAN = 1_500;

/**
 * The reasons why a deck needs a confirmation, one sentence each; none for ordinary price changes.
 * @param moves the deck compared with the one that it follows
 */
export function findUnusualChanges(moves: DeckComparison): readonly string[] {
  const { jumps, compared, medianRatio, countriesLostInUse, traffic } = moves;
  const found: string[] = [];
  if (jumps.length * 100 > compared * MAX_JUMPS_PERCENT)
    found.push(`${jumps.length} of ${compared} prices change by more than half.`);
  if (medianRatio !== null && (medianRatio < LOWEST_MEDIAN || medianRatio > HIGHEST_MEDIAN))
    found.push(`The median price is ${medianRatio / 1000} times the current one.`);
  if (countriesLostInUse.length > 0)
    found.push(`Countries called in the last 30 days would lose their price: ${countriesLostInUse.join(", ")}.`);
  if (traffic.after.saleMicros < traffic.after.costMicros)
    found.push("The calls of the last 30 days would cost more than customers pay for them.");
  return found;
}

/**
 * The error sentence if a deck's price changes are unusual and not confirmed, or null.
 * @param confirmed the number of jumps that the operator typed; null if not confirmed
 */
export function refuseUnusualChanges(moves: DeckComparison, confirmed: number | null): string | null {
  const unusual = findUnusualChanges(moves);
  if (unusual.length === 0 || confirmed === moves.jumps.length) return null;
  const typed = confirmed === null ? "" : ` The number is not ${confirmed}.`;
  return `${unusual.join(" ")} If that is correct, pass --confirm-prices ${moves.jumps.length}.${typed}`;
}
