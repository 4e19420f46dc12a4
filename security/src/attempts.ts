import { appendFileSync } from "node:fs";

/** One attempt to do something forbidden. */
export interface Attempt {
  /** A row of the result table, for example "call without a ticket". */
  readonly kind: string;
  /** What was tried and how, precisely enough to reproduce it. */
  readonly what: string;
  readonly outcome: "refused" | "succeeded";
}

/** Counts attempts for one test file. The file must end with `expect(attempts.succeeded).toEqual([])`. */
export class Attempts {
  readonly succeeded: string[] = [];
  tried = 0;

  record(attempt: Attempt): void {
    this.tried += 1;
    if (attempt.outcome === "succeeded") this.succeeded.push(`${attempt.kind}: ${attempt.what}`);
    // Another process builds the table of `npm run test:security`.
    const file = process.env["SECURITY_ATTEMPTS"];
    if (file) appendFileSync(file, `${JSON.stringify({ kind: attempt.kind, outcome: attempt.outcome })}\n`);
  }

  refused(kind: string, what: string): void {
    this.record({ kind, what, outcome: "refused" });
  }

  /** Records one attempt and whether it was refused. */
  check(kind: string, what: string, refused: boolean): void {
    this.record({ kind, what, outcome: refused ? "refused" : "succeeded" });
  }
}

/** `npm run test:security` runs at full size; `npm test` at the quick size. */
export const FULL_SIZE = process.env["SECURITY_SIZE"] === "full";
