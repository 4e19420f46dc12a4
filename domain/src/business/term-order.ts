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

/**
 * Whether a change allows a customer more at any time: a higher level, or the same for longer. A level fixed at what is earned counts as
 * more unless it is the floor, because it would outlast a dispute. Null: what is earned applies.
 */
export function isRaise(change: {
  readonly before: SetTerm | null;
  readonly after: SetTerm | null;
  readonly earned: Earned;
  readonly now: Date;
}): boolean {
  const { before, after, earned, now } = change;
  // Levels change only at the ends of what is set.
  const times = [now, ...[before, after].flatMap((term) => (term === null ? [] : [term.until]))];
  return times.some((time) => time >= now && allowsMore(levelAt(before, time), levelAt(after, time), earned));
}

function levelAt(term: SetTerm | null, time: Date): bigint | null {
  return term !== null && time < term.until ? term.level : null;
}

function allowsMore(before: bigint | null, after: bigint | null, { level: earned, floor }: Earned): boolean {
  if (after === null) return before !== null && earned > before;
  if (before !== null) return after > before;
  return after >= earned && after > floor;
}
