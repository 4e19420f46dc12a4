/**
 * The rules by which the quality of calls to a country is published. Each protects the people behind the figures: nobody may learn from
 * them whether a certain person has called, or how large the company is, and no single customer may decide them.
 */

/** Latest calls of a customer to a country that count. */
export const MAX_CALLS_PER_CUSTOMER = 4;
/** A figure needs this many calls, so it comes from 25 customers or more, and one customer has at most 4 % of it. */
export const MIN_CALLS = 100;
/** Days of a report, complete ones (UTC): the longer span is for countries with few calls. */
export const REPORT_DAYS = [30, 90] as const;
export type ReportDays = (typeof REPORT_DAYS)[number];

/** The number of calls is published as the highest of these that it reaches. */
const CALL_BANDS = [MIN_CALLS, 300, 1_000] as const;
const PERCENT_STEP = 5;
const SECONDS_STEP = 0.5;
const MOS_STEP = 0.1;

/** What was measured for one country. Never leaves the service. */
export interface MeasuredQuality {
  readonly calls: number;
  readonly answered: number;
  /** Calls whose phone rang or answered, with the caller's wait until then. */
  readonly delayed: number;
  readonly medianDelayMs: number | null;
  readonly p95DelayMs: number | null;
  /** Answered calls whose browser measured the quality. */
  readonly scored: number;
  readonly medianMos: number | null;
}

/** Rounded figures of one country. */
export interface PublishedQuality {
  /** At least this many calls were counted. */
  readonly callsAtLeast: number;
  readonly answeredPercent: number;
  /** Null together, if too few calls have one. */
  readonly medianDelaySeconds: number | null;
  readonly p95DelaySeconds: number | null;
  /** Mean opinion score, 1 to 5; null if too few calls have one. */
  readonly medianMos: number | null;
}

/** The figures that may be published; null if there are too few calls. */
export function publishQuality(measured: MeasuredQuality): PublishedQuality | null {
  const { calls, answered, delayed, medianDelayMs, p95DelayMs, scored, medianMos } = measured;
  if (calls < MIN_CALLS) return null;
  const ifEnough = (count: number, figure: number | null, step: number): number | null =>
    count < MIN_CALLS || figure === null ? null : rounded(figure, step);
  return {
    callsAtLeast: CALL_BANDS.findLast((band) => calls >= band) ?? MIN_CALLS,
    answeredPercent: rounded((100 * answered) / calls, PERCENT_STEP),
    medianDelaySeconds: ifEnough(delayed, medianDelayMs === null ? null : medianDelayMs / 1_000, SECONDS_STEP),
    p95DelaySeconds: ifEnough(delayed, p95DelayMs === null ? null : p95DelayMs / 1_000, SECONDS_STEP),
    medianMos: ifEnough(scored, medianMos, MOS_STEP),
  };
}

/** To the nearest step; the last rounding removes the noise of binary fractions. */
function rounded(figure: number, step: number): number {
  return Number((Math.round(figure / step) * step).toFixed(1));
}
