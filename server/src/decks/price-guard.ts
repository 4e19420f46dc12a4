import type { DeckComparison } from "./compare-decks.ts";

/** Beyond these, a list is confirmed by the number of its jumps, because a slip of the decimal point looks like this. */
const MAX_JUMPS_PERCENT = 5;
const LOWEST_MEDIAN = 700;
const HIGHEST_MEDIAN = 1_500;

/**
 * Why a deck needs a confirmation before it follows another, as sentences; none where its prices move little.
 * @param moves the deck compared with the one that it follows
 */
export function unusualMoves(moves: DeckComparison): readonly string[] {
  const { jumps, compared, medianRatio, countriesLostInUse, traffic } = moves;
  const found: string[] = [];
  if (jumps.length * 100 > compared * MAX_JUMPS_PERCENT)
    found.push(`${jumps.length} of ${compared} prices move by more than half.`);
  if (medianRatio !== null && (medianRatio < LOWEST_MEDIAN || medianRatio > HIGHEST_MEDIAN))
    found.push(`The median price is ${medianRatio / 1000} times what it was.`);
  if (countriesLostInUse.length > 0)
    found.push(`Countries that were called in the last 30 days lose their price: ${countriesLostInUse.join(", ")}.`);
  if (traffic.after.saleMicros < traffic.after.costMicros)
    found.push("The calls of the last 30 days would cost more than they bring.");
  return found;
}

/**
 * Why a deck may not take force, or null.
 * @param confirmed the number of jumps that the operator typed; null for none
 */
export function refusalOfMoves(moves: DeckComparison, confirmed: number | null): string | null {
  const unusual = unusualMoves(moves);
  if (unusual.length === 0 || confirmed === moves.jumps.length) return null;
  const typed = confirmed === null ? "" : ` It is not ${confirmed}.`;
  return `${unusual.join(" ")} If that is right, say --confirm-prices ${moves.jumps.length}.${typed}`;
}
