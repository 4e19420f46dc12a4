import { emailKey } from "@farline/domain/email-address.ts";
import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";

/** Whether the customer with this address has used this browser before. */
export async function isKnownBrowser(db: Tx, wanted: { email: string; browserHash: Buffer }): Promise<boolean> {
  const found = await db
    .selectFrom("known_browser")
    .innerJoin("customer", "customer.id", "known_browser.customer_id")
    .select("customer.id")
    .where("customer.email_key", "=", emailKey(wanted.email))
    .where("known_browser.browser_hash", "=", wanted.browserHash)
    .executeTakeFirst();
  return found !== undefined;
}

/** Whether the customer has used this browser since all access to the account was last ended. */
export async function isBrowserOf(db: Tx, wanted: { customerId: string; browserHash: Buffer }): Promise<boolean> {
  const found = await db
    .selectFrom("known_browser")
    .select("browser_hash")
    .where("customer_id", "=", wanted.customerId)
    .where("browser_hash", "=", wanted.browserHash)
    .executeTakeFirst();
  return found !== undefined;
}

/** Whether any customer has used this browser. */
export async function isBrowserOfAnybody(db: Tx, browserHash: Buffer): Promise<boolean> {
  const found = await db
    .selectFrom("known_browser")
    .select("browser_hash")
    .where("browser_hash", "=", browserHash)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Records that a customer used a browser, and removes the least recently used ones beyond `maxBrowsers`. */
export async function rememberBrowser(
  tx: Tx,
  known: { customerId: string; browserHash: Buffer; now: Date; maxBrowsers: number },
): Promise<void> {
  await tx
    .insertInto("known_browser")
    .values({ customer_id: known.customerId, browser_hash: known.browserHash, last_used_at: known.now })
    .onConflict((conflict) => conflict.columns(["customer_id", "browser_hash"]).doUpdateSet({ last_used_at: known.now }))
    .execute();
  await sql`
    delete from known_browser where customer_id = ${known.customerId} and browser_hash in (
      select browser_hash from known_browser where customer_id = ${known.customerId}
      order by last_used_at desc, browser_hash offset ${known.maxBrowsers})`.execute(tx);
}

/** Deletes all known browsers of a customer, optionally except one. */
export async function forgetBrowsers(tx: Tx, wanted: { customerId: string; except: Buffer | null }): Promise<void> {
  let query = tx.deleteFrom("known_browser").where("customer_id", "=", wanted.customerId);
  if (wanted.except !== null) query = query.where("browser_hash", "<>", wanted.except);
  await query.execute();
}
