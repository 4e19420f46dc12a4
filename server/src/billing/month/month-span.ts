import { statementMonth } from "@farline/contract/billing-documents.ts";
import { LATE_COMMIT_MS } from "../../ledger/ledger.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Span } from "../../platform/split-span.ts";
import { monthsAfter, startOf, statementTime } from "../documents/statement-month.ts";

/** The first month that a service could have been in use. */
const FIRST = new Date("2020-01-01T00:00:00Z");

/** A calendar month in UTC. */
interface MonthSpan extends Span {
  readonly month: string;
  /** Whether it is over and every booking of it is in. */
  readonly complete: boolean;
}

/** @throws AppError not_found for a month in the future, or for what is no month */
export function monthSpan(month: string, now: Date): MonthSpan {
  if (!statementMonth.safeParse(month).success) throw new AppError("not_found", { reason: "month_needed" });
  const span = statementTime(month, { since: FIRST, now });
  return { ...span, complete: now.getTime() - startOf(monthsAfter(month, 1)).getTime() >= LATE_COMMIT_MS };
}
