/** A metric for /metrics, whose `warning` also appears in /api/ready. */
export interface Metric {
  /** Prometheus name: letters and underscores. */
  readonly name: string;
  readonly help: string;
  read(): Promise<number>;
  /** A sentence for the operator, or null if there is no problem. */
  warning(value: number): string | null;
}
