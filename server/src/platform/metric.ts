import type { RunbookName } from "@farline/contract/operator/constants.ts";
import type { TroubleResponse } from "@farline/contract/operations.ts";
import { DAY_MS, HOUR_MS } from "@farline/domain/durations.ts";
import { usualIfFarBelow } from "@farline/domain/health.ts";
import type { Clock } from "./clock.ts";
import type { Span } from "./split-span.ts";

interface Measured {
  /** If it is read from memory, so that it is never older than the question. */
  readonly inMemory?: true;
  /** Prometheus name: letters and underscores, with the unit at its end. */
  readonly name: string;
  readonly help: string;
  /** The label that tells several values apart, for example `trunk`. Its words must be few. */
  readonly label?: string;
  /** The value now; with a label, the value of each of its words. */
  read(): Promise<number | ReadonlyMap<string, number>>;
}

interface Silent extends Measured {
  readonly warning?: undefined;
}

/** What is wrong, for operators. */
export interface Warned {
  /** One sentence with the size of it. */
  readonly text: string;
  /** What is known beside it. */
  readonly detail?: string | null;
  /** Null or left out: since the service first saw it. */
  readonly since?: Date | null;
}

interface Warning extends Measured {
  /**
   * What to tell the operator, or null if there is no problem.
   * @param word the label's word; empty without a label
   */
  warning(value: number, word?: string): string | Warned | null;
  /** Whether the alert wakes somebody up or waits for the next working hour. */
  readonly level: ByWord<TroubleResponse["level"]>;
  /** If one instance without the problem is enough, as for jobs, which the instances share. */
  readonly onlyIfEverywhere?: true;
  /** What to do about it. */
  readonly runbook: ByWord<RunbookName>;
}

/** One for all words of a metric, or one for each. */
type ByWord<Value> = Value | ((word: string) => Value);

export function forWord<Value extends string>(value: ByWord<Value>, word: string): Value {
  return typeof value === "function" ? value(word) : value;
}

/** A metric for /metrics. Its warnings are `farline_warning` there, which raises the alert, and the troubles of /api/ready, the overview and the doctor. */
export type Metric = Silent | Warning;

const WEEKS_BACK = [1, 2, 3, 4];
/** Adding up five hours takes time, and they change slowly. */
const HOURS_GOOD_FOR_MS = 60_000;

/**
 * Warns if the last hour's count is far below the same hour of the last four weeks.
 * @param of what is counted, in words: "calls"
 */
export function usualMetric(clock: Clock, of: string, count: (span: Span) => Promise<number>): Metric {
  let last: { readonly now: number; readonly usual: number | null } = { now: 0, usual: null };
  const read = async (): Promise<number> => {
    const atMs = clock.now().getTime();
    const hour = (weeks: number) => {
      const to = new Date(atMs - weeks * 7 * DAY_MS);
      return count({ from: new Date(to.getTime() - HOUR_MS), to });
    };
    const [now, ...before] = (await Promise.all([0, ...WEEKS_BACK].map(hour))) as [number, ...number[]];
    last = { now, usual: usualIfFarBelow(now, before) };
    return last.usual === null ? 100 : Math.round((100 * now) / last.usual);
  };
  return {
    name: `farline_${of}_usual_percent`,
    help: `The last hour's ${of}, in per cent of the same hour of the last four weeks if that is far more; else 100`,
    read: sharedReading(read, HOURS_GOOD_FOR_MS),
    runbook: "calls-fewer",
    level: "page",
    warning: (percent) =>
      percent === 100
        ? null
        : {
            text: `Only ${last.now} ${of} in the last hour, ${percent} % of what is usual.`,
            detail: `The same hour of the last four weeks had ${last.usual}.`,
          },
  };
}

/** One reading, shared by all who ask within a time. One that fails is not kept. */
export function sharedReading<Result>(read: () => Promise<Result>, keepMs: number): () => Promise<Result> {
  let last: { at: number; answer: Promise<Result> } | null = null;
  return () => {
    // A monotonic clock: this is elapsed time, not time of day.
    const now = performance.now();
    if (last !== null && now - last.at <= keepMs) return last.answer;
    const current = { at: now, answer: read() };
    last = current;
    current.answer.catch(() => {
      if (last === current) last = null;
    });
    return current.answer;
  };
}
