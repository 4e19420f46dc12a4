/** A metric for /metrics, whose warnings also appear in /api/ready. */
export interface Metric {
  /** Prometheus name: letters and underscores, with the unit at its end. */
  readonly name: string;
  readonly help: string;
  /** The label that tells several values apart, for example `trunk`. Its words must be few. */
  readonly label?: string;
  /** The value now; with a label, the value of each of its words. */
  read(): Promise<number | ReadonlyMap<string, number>>;
  /**
   * A sentence for the operator, or null if there is no problem.
   * @param word the label's word; empty without a label
   */
  warning(value: number, word?: string): string | null;
}
