import type { RunbookName } from "@farline/contract/operator/constants.ts";

interface Measured {
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

interface Warning extends Measured {
  /**
   * A sentence for the operator, or null if there is no problem.
   * @param word the label's word; empty without a label
   */
  warning(value: number, word?: string): string | null;
  /** Whether the alert wakes somebody up or waits for the next working hour. */
  readonly level: "page" | "ticket";
  /** If one instance without the problem is enough, as for jobs, which the instances share. */
  readonly onlyIfEverywhere?: true;
  /** What to do about it. */
  readonly runbook: RunbookName;
}

/** A metric for /metrics. Its warnings are `farline_warning` there, which raises the alert, and sentences in /api/ready and the overview. */
export type Metric = Silent | Warning;

/** What an operator should know, and the page of `docs/runbooks` that says what to do about it. */
export interface Trouble {
  readonly text: string;
  readonly runbook: RunbookName;
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
