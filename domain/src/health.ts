/** Latest uses that are kept of each part. */
export const KEPT_USES = 20;
/** Older uses say nothing about now. */
const USE_COUNTS_MS = 15 * 60_000;
const FAILED_IN_A_ROW = 3;
/** Fewer uses are too few for a share. */
const USES_FOR_A_SHARE = 5;
/** A reading that works does not outweigh a change that failed within this time. */
const CHANGE_OUTWEIGHS_MS = 2 * 60_000;

/** What one use of a part came to: a request, a mail, a posting. */
export interface Use {
  readonly atMs: number;
  /** Null if it worked; else why the part failed, for operators. A refusal that is the customer's, such as a declined card, has worked. */
  readonly failure: string | null;
  /** Whether it changed nothing. Such uses stand in while there are no others: a provider may answer questions and refuse all payments. */
  readonly onlyRead: boolean;
}

export interface UseSummary {
  readonly worked: number;
  readonly failed: number;
  /** Null if there was none lately. */
  readonly lastAtMs: number | null;
  /** Why the latest one failed; null while the part works. */
  readonly failure: string | null;
  /** The first failure since the part last worked; null while the part works. */
  readonly failingSinceMs: number | null;
}

/**
 * Judges a part by its latest uses: it is down if none of the last quarter of an hour worked, if the last three failed, or if half of five or
 * more failed.
 * @param uses oldest first
 */
export function judgeUses(uses: readonly Use[], nowMs: number): UseSummary {
  const counted = withoutBlandReadings(uses.filter(({ atMs }) => nowMs - atMs <= USE_COUNTS_MS));
  const failed = counted.filter(({ failure }) => failure !== null);
  const worked = counted.length - failed.length;
  const inARow = counted.length - 1 - counted.findLastIndex(({ failure }) => failure === null);
  const mostFail = counted.length >= USES_FOR_A_SHARE && failed.length * 2 >= counted.length;
  const isDown = failed.length > 0 && (worked === 0 || inARow >= FAILED_IN_A_ROW || mostFail);
  return {
    ...{ worked, failed: failed.length, lastAtMs: counted.at(-1)?.atMs ?? null },
    failure: isDown ? (failed.at(-1)?.failure ?? null) : null,
    failingSinceMs: isDown ? ((inARow >= FAILED_IN_A_ROW ? counted.at(-inARow) : failed[0])?.atMs ?? null) : null,
  };
}

function withoutBlandReadings(uses: readonly Use[]): readonly Use[] {
  return uses.filter(({ onlyRead, failure, atMs }, index) => {
    if (!onlyRead || failure !== null) return true;
    const change = uses.slice(0, index).findLast((one) => !one.onlyRead);
    return change === undefined || change.failure === null || atMs - change.atMs > CHANGE_OUTWEIGHS_MS;
  });
}

/** A service with fewer in an hour has hours without any. */
const USUAL_FROM = 20;
/** Far below: less than this share of what is usual, and of the poorest of the weeks. */
const FAR_BELOW = 0.4;
const WEEKS = 4;

/**
 * Whether an hour's count is far below the same hour of the same weekday in the last four weeks: under 40 % of their median, and under 40 % of the
 * poorest of them, so that a holiday a year does not make a holiday usual.
 * @param weeks the counts of the four weeks before; an hour before the service began is left out
 * @returns what is usual, or null if the count is not far below it or too little is known
 */
export function usualIfFarBelow(count: number, weeks: readonly number[]): number | null {
  if (weeks.length < WEEKS) return null;
  const sorted = weeks.toSorted((a, b) => a - b);
  const usual = ((sorted[1] ?? 0) + (sorted[2] ?? 0)) / 2;
  const poorest = sorted[0] ?? 0;
  if (usual < USUAL_FROM || count >= FAR_BELOW * usual || count >= poorest) return null;
  return Math.round(usual);
}
