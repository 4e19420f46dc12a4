import { sql } from "kysely";
import type { DatabaseHandle, Tx } from "../../platform/database/database.ts";
import { executePrepared } from "../../platform/database/prepared.ts";

/** Writes a ticket for one echo test and deletes the customer's old ones. */
export async function insertEchoTest(
  tx: Tx,
  test: { id: string; customerId: string; ticketHash: Buffer; now: Date; expiresAt: Date; forgetBefore: Date },
): Promise<void> {
  await tx
    .deleteFrom("echo_test")
    .where("customer_id", "=", test.customerId)
    .where("created_at", "<", test.forgetBefore)
    .execute();
  await tx
    .insertInto("echo_test")
    .values({
      id: test.id,
      customer_id: test.customerId,
      ticket_hash: test.ticketHash,
      expires_at: test.expiresAt,
      created_at: test.now,
    })
    .execute();
}

/**
 * Redeems a ticket for a parked leg, in one statement. The same leg may redeem it again.
 * @param leg.senders SIP users that the leg may be signed in as. A known one must belong to the ticket's customer
 */
export async function redeemEchoTicket(
  { db }: DatabaseHandle,
  leg: { ticketHash: Buffer; callControlId: string; senders: readonly string[]; now: Date },
): Promise<boolean> {
  const { callControlId: id, ticketHash, senders, now } = leg;
  const query = sql`update echo_test e set call_control_id = ${id}
    where ticket_hash = ${ticketHash} and coalesce(call_control_id, ${id}) = ${id} and expires_at > ${now}
      and exists (select from customer c where c.id = e.customer_id and c.status = 'active')
      and not exists (select from voice_credential v where v.sip_username = any(${senders}) and v.customer_id <> e.customer_id)
    returning e.id`;
  return (await executePrepared(db, "redeem_echo_ticket", query)).length === 1;
}

/** Whether a customer's ticket for an echo test can still be used. */
export async function hasOpenEchoTest(tx: Tx, customerId: string, now: Date): Promise<boolean> {
  const found = await tx
    .selectFrom("echo_test")
    .select("id")
    .where("customer_id", "=", customerId)
    .where("call_control_id", "is", null)
    .where("expires_at", ">", now)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Revokes a customer's tickets for echo tests. */
export async function deleteEchoTests(tx: Tx, customerId: string): Promise<void> {
  await tx.deleteFrom("echo_test").where("customer_id", "=", customerId).execute();
}

export async function isEchoLeg(tx: Tx, callControlId: string): Promise<boolean> {
  const found = await tx.selectFrom("echo_test").select("id").where("call_control_id", "=", callControlId).executeTakeFirst();
  return found !== undefined;
}
