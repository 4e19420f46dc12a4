import type { Database } from "../platform/database/database.ts";

/** The latest check of the ledger. */
export interface LedgerCheck {
  readonly at: Date;
  readonly deviations: number;
  /** The latest one that found no deviation; null if none has. */
  readonly goodAt: Date | null;
  /** By the database's clock: what was booked before it has been checked. */
  readonly bookedTo: Date | null;
  /** When everything was last checked. */
  readonly wholeAt: Date | null;
}

export async function recordCheck(
  db: Database,
  { at, deviations, bookedTo, wholeAt }: Omit<LedgerCheck, "goodAt">,
): Promise<void> {
  const good = deviations === 0 ? { good_at: at } : {};
  const row = { checked_at: at, deviations, booked_to: bookedTo, whole_at: wholeAt, ...good };
  await db
    .insertInto("ledger_check")
    .values({ only_row: true, ...row })
    .onConflict((conflict) => conflict.column("only_row").doUpdateSet(row))
    .execute();
}

/** Null before the first check. */
export async function latestCheck(db: Database): Promise<LedgerCheck | null> {
  const row = await db
    .selectFrom("ledger_check")
    .select(["checked_at as at", "deviations", "good_at as goodAt", "booked_to as bookedTo", "whole_at as wholeAt"])
    .executeTakeFirst();
  return row ?? null;
}
