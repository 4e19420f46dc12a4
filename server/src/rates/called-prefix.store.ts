import type { Insertable } from "kysely";
import type { Tx } from "../platform/database/database.ts";
import type { CalledPrefixTable } from "./rates.tables.ts";

/** How often numbers with a prefix were called. */
export type CalledPrefix = Omit<Insertable<CalledPrefixTable>, "made_at">;

/** When the counts in use were made; null before the first. */
export async function calledPrefixesMadeAt(db: Tx): Promise<Date | null> {
  const latest = await db.selectFrom("called_prefix").select("made_at").limit(1).executeTakeFirst();
  return latest?.made_at ?? null;
}

export async function readCalledPrefixes(db: Tx): Promise<CalledPrefix[]> {
  return db.selectFrom("called_prefix").select(["country_code", "number_type", "prefix", "calls"]).execute();
}

/** Replaces all counts. */
export async function replaceCalledPrefixes(tx: Tx, counts: readonly CalledPrefix[], madeAt: Date): Promise<void> {
  await tx.deleteFrom("called_prefix").execute();
  if (counts.length > 0)
    await tx
      .insertInto("called_prefix")
      .values(counts.map((count) => ({ ...count, made_at: madeAt })))
      .execute();
}
