/** What an operator has set for a customer, as a comparable level: more of it allows more. */
export interface SetTerm {
  readonly level: bigint;
  /** Then what the customer has earned applies again. */
  readonly until: Date;
}

/** What would apply without anything set. It follows the customer: payments raise it, a dispute lowers it to the floor. */
export interface Earned {
  readonly level: bigint;
  readonly floor: bigint;
}

/** A change of what is set. Null: what is earned applies. */
export interface TermChange {
  readonly before: SetTerm | null;
  readonly after: SetTerm | null;
  readonly earned: Earned;
  readonly now: Date;
}

/**
 * Whether a change allows a customer more at any time: a higher level, or the same for longer. A level fixed at what is earned counts as
 * more unless it is the floor, because it would outlast a dispute.
 */
export function isRaise(change: TermChange): boolean {
  return raiseBy(change) > 0n;
}

/** By how much the allowed level rises at most, at any time; 0n if it never does. */
export function raiseBy({ before, after, earned, now }: TermChange): bigint {
  // Levels change only at the ends of what is set.
  const times = [now, ...[before, after].flatMap((term) => (term === null || term.until < now ? [] : [term.until]))];
  const raises = times.map((time) => raiseOf(levelAt(before, time), levelAt(after, time), earned));
  return raises.reduce((most, raise) => (raise > most ? raise : most), 0n);
}

function levelAt(term: SetTerm | null, time: Date): bigint | null {
  return term !== null && time < term.until ? term.level : null;
}

function raiseOf(before: bigint | null, after: bigint | null, { level: earned, floor }: Earned): bigint {
  if (after === null) return before === null ? 0n : earned - before;
  return after - (before ?? (after === earned ? floor : earned));
}
