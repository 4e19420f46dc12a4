import { statementMonth } from "@farline/contract/billing-documents.ts";
import type { Context } from "../../context.ts";
import { firstPosting, LATE_COMMIT_MS } from "../../ledger/ledger.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Span } from "../../platform/split-span.ts";
import { monthOf, monthsAfter, startOf, statementTime } from "../documents/statement-month.ts";

/** A calendar month in UTC. */
interface MonthSpan extends Span {
  readonly month: string;
  /** Whether it is over and every booking of it is in. */
  readonly complete: boolean;
}

/**
 * A month that the books have: from the first posting's to the present one.
 * @throws AppError not_found
 */
export async function bookedMonth(
  { handle, clock }: Pick<Context, "handle" | "clock">,
  month: string,
): Promise<MonthSpan & { readonly firstMonth: string }> {
  const now = clock.now();
  const since = (await firstPosting(handle.db)) ?? now;
  return { ...monthSpan(month, { since, now }), firstMonth: monthOf(since) };
}

/** @throws AppError not_found for a month before `since` or in the future, or for what is no month */
export function monthSpan(month: string, { since, now }: { readonly since: Date; readonly now: Date }): MonthSpan {
  if (!statementMonth.safeParse(month).success) throw new AppError("not_found", { reason: "month_needed" });
  const [first, last] = [monthOf(since), monthOf(now)];
  if (month < first || month > last)
    throw new AppError("not_found", { reason: "operator.month_without_books", params: { month, first, last } });
  const complete = now.getTime() - startOf(monthsAfter(month, 1)).getTime() >= LATE_COMMIT_MS;
  return { ...statementTime(month, { since, now }), complete };
}
