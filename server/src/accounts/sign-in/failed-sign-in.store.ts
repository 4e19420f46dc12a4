import { emailKey } from "@farline/domain/email-address.ts";
import { sql } from "kysely";
import { uuidv7 } from "uuidv7";
import type { Tx } from "../../platform/database/database.ts";

/** A failed sign-in for a known or unknown address. */
interface FailedSignIn {
  readonly email: string;
  readonly from: { readonly device: string; readonly network: string };
  readonly at: Date;
}

/** Records a wrong password without looking up the address. */
export async function insertFailedSignIn(db: Tx, failed: FailedSignIn): Promise<void> {
  await db
    .insertInto("failed_sign_in")
    .values({
      id: uuidv7(),
      email_key: emailKey(failed.email),
      device: failed.from.device,
      network: failed.from.network,
      happened_at: failed.at,
    })
    .execute();
}

/** Dequeues the oldest failed sign-ins with their customers. A rollback restores them. */
export async function dequeueFailedSignIns(
  tx: Tx,
  limit: number,
): Promise<{ customerId: string | null; device: string; network: string; at: Date }[]> {
  const { rows } = await sql<{ customerId: string | null; device: string; network: string; at: Date }>`
    with taken as (
      delete from failed_sign_in where id in (
        select id from failed_sign_in order by id limit ${limit} for update skip locked)
      returning email_key, device, network, happened_at)
    select customer.id as "customerId", device, network, happened_at as at
    from taken left join customer on customer.email_key = taken.email_key order by happened_at`.execute(tx);
  return rows;
}
