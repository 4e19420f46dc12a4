import { appendFileSync } from "node:fs";

/** One attempt to do something forbidden. */
export interface Door {
  /** A row of the result table, for example "call without a ticket". */
  readonly kind: string;
  /** What was tried and how, precisely enough to reproduce it. */
  readonly door: string;
  readonly outcome: "refused" | "opened";
}

/** Counts attempts for one test file. The file must end with `expect(doors.opened).toEqual([])`. */
export class Doors {
  readonly opened: string[] = [];
  tried = 0;

  record(door: Door): void {
    this.tried += 1;
    if (door.outcome === "opened") this.opened.push(`${door.kind}: ${door.door}`);
    // Another process builds the table of `npm run test:security`.
    const file = process.env["SECURITY_DOORS"];
    if (file) appendFileSync(file, `${JSON.stringify({ kind: door.kind, outcome: door.outcome })}\n`);
  }

  refused(kind: string, door: string): void {
    this.record({ kind, door, outcome: "refused" });
  }

  /** Records one attempt and whether it was refused. */
  check(kind: string, door: string, refused: boolean): void {
    this.record({ kind, door, outcome: refused ? "refused" : "opened" });
  }
}

/** `npm run test:security` runs at full size; `npm test` at the quick size. */
export const FULL_SIZE = process.env["SECURITY_SIZE"] === "full";
