import type { Database } from "../platform/database/database.ts";

/** The latest check of the ledger. */
export interface LedgerCheck {
  readonly at: Date;
  readonly deviations: number;
}

export async function recordCheck(db: Database, { at, deviations }: LedgerCheck): Promise<void> {
  await db
    .insertInto("ledger_check")
    .values({ only_row: true, checked_at: at, deviations })
    .onConflict((conflict) => conflict.column("only_row").doUpdateSet({ checked_at: at, deviations }))
    .execute();
}

/** Null before the first check. */
export async function latestCheck(db: Database): Promise<LedgerCheck | null> {
  const row = await db.selectFrom("ledger_check").select(["checked_at as at", "deviations"]).executeTakeFirst();
  return row ?? null;
}
