import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

/** Browsers of one operator; the least recently used ones are forgotten. */
const MAX_BROWSERS = 10;

/** Whether the operator with this address has signed in with this browser. */
export async function isBrowserOfOperator(db: Tx, wanted: { email: string; browserHash: Buffer }): Promise<boolean> {
  const found = await db
    .selectFrom("operator_browser as b")
    .innerJoin("operator as o", "o.id", "b.operator_id")
    .select("o.id")
    .where("o.email", "=", wanted.email.toLowerCase())
    .where("o.removed_at", "is", null)
    .where("b.browser_hash", "=", wanted.browserHash)
    .executeTakeFirst();
  return found !== undefined;
}

/** Whether any operator has signed in with this browser. */
export async function isOperatorBrowser(db: Tx, browserHash: Buffer): Promise<boolean> {
  const found = await db
    .selectFrom("operator_browser as b")
    .innerJoin("operator as o", "o.id", "b.operator_id")
    .select("o.id")
    .where("o.removed_at", "is", null)
    .where("b.browser_hash", "=", browserHash)
    .executeTakeFirst();
  return found !== undefined;
}

export async function rememberOperatorBrowser(
  tx: Tx,
  known: { operatorId: string; browserHash: Buffer; now: Date },
): Promise<void> {
  const { operatorId, browserHash, now } = known;
  await tx
    .insertInto("operator_browser")
    .values({ operator_id: operatorId, browser_hash: browserHash, last_used_at: now })
    .onConflict((conflict) => conflict.columns(["operator_id", "browser_hash"]).doUpdateSet({ last_used_at: now }))
    .execute();
  await sql`
    delete from operator_browser where operator_id = ${operatorId} and browser_hash in (
      select browser_hash from operator_browser where operator_id = ${operatorId}
      order by last_used_at desc, browser_hash offset ${MAX_BROWSERS})`.execute(tx);
}

export async function forgetOperatorBrowsers(db: Tx, operatorId: string): Promise<void> {
  await db.deleteFrom("operator_browser").where("operator_id", "=", operatorId).execute();
}
