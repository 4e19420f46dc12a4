import { GIFT_MARKS_KEPT } from "@farline/contract/constants.ts";
import { DAY_MS } from "@farline/domain/durations.ts";
import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { deleteRows } from "../../platform/database/in-batches.ts";
import type { IdentityHash } from "./identity-hashes.ts";

const NETWORK_KEPT_MS = GIFT_MARKS_KEPT.networkDays * DAY_MS;
/** Since the last sign-in. */
const PERSON_KEPT_MS = GIFT_MARKS_KEPT.personYears * 365 * DAY_MS;
/** Per customer and kind; the least recently seen are deleted first. */
const MAX_HASHES = 100;

/** Records that a customer's identity hashes were seen, and all of the customer's mailboxes with them. */
export async function recordIdentityHashes(
  tx: Tx,
  seen: { customerId: string; identityHashes: readonly IdentityHash[]; now: Date },
): Promise<void> {
  const { customerId, identityHashes, now } = seen;
  await tx
    .updateTable("person_mark")
    .set({ seen_at: now })
    .where("customer_id", "=", customerId)
    .where("kind", "=", "mailbox")
    .execute();
  if (identityHashes.length === 0) return;
  await tx
    .insertInto("person_mark")
    .values(identityHashes.map(({ kind, hash }) => ({ customer_id: customerId, kind, mark: hash, seen_at: now })))
    .onConflict((conflict) => conflict.columns(["customer_id", "kind", "mark"]).doUpdateSet({ seen_at: now }))
    .execute();
  await sql`
    delete from person_mark where (customer_id, kind, mark) in (
      select customer_id, kind, mark from (
        select *, row_number() over (partition by kind order by seen_at desc, mark) as place
        from person_mark where customer_id = ${customerId}) as ranked
      where place > ${MAX_HASHES})`.execute(tx);
}

/** Whether both a browser and a network of a customer are known. */
export async function isOriginKnown(tx: Tx, customerId: string): Promise<boolean> {
  const kinds = await tx.selectFrom("person_mark").select("kind").distinct().where("customer_id", "=", customerId).execute();
  const known = new Set(kinds.map(({ kind }) => kind));
  return known.has("browser") && (known.has("network") || known.has("local_network"));
}

export function deleteOldIdentityHashes(tx: Tx, now: Date, signal: AbortSignal): Promise<void> {
  const networkSince = new Date(now.getTime() - NETWORK_KEPT_MS);
  const personSince = new Date(now.getTime() - PERSON_KEPT_MS);
  const isOld = sql`seen_at < ${personSince} or (seen_at < ${networkSince} and kind in ('network', 'local_network'))`;
  return deleteRows(tx, signal, { from: "person_mark", where: isOld });
}
