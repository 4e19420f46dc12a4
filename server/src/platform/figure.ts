/** A number that tells how a part of the service is doing, for /metrics; `warning` also for /api/ready. */
export interface Figure {
  /** As Prometheus wants it: letters and underscores. */
  readonly name: string;
  readonly help: string;
  read(): Promise<number>;
  /** A sentence for the operator, or null while all is well. */
  warning(value: number): string | null;
}
