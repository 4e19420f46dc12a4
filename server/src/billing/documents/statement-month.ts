import { AppError } from "../../platform/app-error.ts";

/** A calendar month in UTC. */
export interface StatementTime {
  /** "2026-05" */
  readonly month: string;
  readonly from: Date;
  /** Start of the next month; for the current month, now. */
  readonly to: Date;
}

export function monthOf(instant: Date): string {
  return instant.toISOString().slice(0, 7);
}

/** "2027-01" is one month after "2026-12". @param count negative for earlier months */
export function monthsAfter(month: string, count: number): string {
  const day = startOf(month);
  day.setUTCMonth(day.getUTCMonth() + count);
  return monthOf(day);
}

export function startOf(month: string): Date {
  return new Date(`${month}-01T00:00:00.000Z`);
}

/**
 * Returns the period of a month's statement.
 * @param since when the account was opened
 * @throws AppError not_found for a month before that or in the future
 */
export function statementTime(month: string, { since, now }: { since: Date; now: Date }): StatementTime {
  if (month < monthOf(since) || month > monthOf(now)) throw new AppError("not_found", { reason: "statement_unknown" });
  const end = startOf(monthsAfter(month, 1));
  return { month, from: startOf(month), to: end < now ? end : now };
}
