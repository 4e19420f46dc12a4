import { sql } from "kysely";
import type { Tx } from "../../platform/database/database.ts";
import { deleteRows } from "../../platform/database/in-batches.ts";

export interface VoiceCredential {
  provider_id: string;
  customer_id: string;
  session_id: string;
  sip_username: string;
  expires_at: Date;
}

/** The session's credential with the latest expiry, if it is valid beyond `until`. */
export async function findCredential(
  tx: Tx,
  sessionId: string,
  until: Date,
): Promise<Pick<VoiceCredential, "provider_id" | "sip_username" | "expires_at"> | undefined> {
  return tx
    .selectFrom("voice_credential")
    .select(["provider_id", "sip_username", "expires_at"])
    .where("session_id", "=", sessionId)
    .where("removal_due_at", "is", null)
    .where("expires_at", ">", until)
    .orderBy("expires_at", "desc")
    .limit(1)
    .executeTakeFirst();
}

export async function saveCredential(tx: Tx, credential: VoiceCredential, now: Date): Promise<void> {
  await tx
    .insertInto("voice_credential")
    .values({ ...credential, created_at: now, removal_due_at: null })
    .onConflict((conflict) => conflict.column("provider_id").doNothing())
    .execute();
}

/** Ends all of a customer's credentials: they issue no more tokens, and a job deletes them at the provider. */
export async function endCredentials(tx: Tx, customerId: string, at: Date): Promise<void> {
  await tx
    .updateTable("voice_credential")
    .set({ removal_due_at: at })
    .where("customer_id", "=", customerId)
    .where("removal_due_at", "is", null)
    .execute();
}

/** Ends credentials whose session has ended or whose account is not active. */
export async function endOrphanedCredentials(tx: Tx, now: Date): Promise<void> {
  await sql`
    update voice_credential v set removal_due_at = ${now}
    where v.removal_due_at is null and v.session_id is not null and (
      not exists (select from session s where s.id = v.session_id)
      or exists (select from customer c where c.id = v.customer_id and c.status <> 'active')
    )`.execute(tx);
}

/**
 * Claims credentials to delete at the provider and schedules their retry: 5 seconds, doubled each time up to 10 minutes. A running call keeps
 * its session's credential, because the provider may end both together: until `cutCalls` has ended it if the session was ended, else to its end.
 */
export async function claimRemovals(tx: Tx, now: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ provider_id: string }>`
    update voice_credential v set removal_tries = v.removal_tries + 1,
      removal_due_at = ${now}::timestamptz + least(interval '10 minutes', interval '5 seconds' * power(2, least(v.removal_tries, 10)))
    where v.provider_id in (
      select d.provider_id from voice_credential d where d.removal_due_at <= ${now}
        and not exists (select from call c where c.customer_id = d.customer_id and c.ended_at is null
          and coalesce(c.caller_session_id, d.session_id) is not distinct from d.session_id
          and not (c.hangup_requested_at is not null and has_session_ended(d.session_id)))
      order by d.removal_due_at limit ${limit} for update skip locked
    ) returning v.provider_id`.execute(tx);
  return rows.map(({ provider_id: id }) => id);
}

export async function deleteCredential(tx: Tx, providerId: string): Promise<void> {
  await tx.deleteFrom("voice_credential").where("provider_id", "=", providerId).execute();
}

/** Deletes credentials that have expired at the provider. */
export async function deleteExpiredCredentials(tx: Tx, now: Date, signal: AbortSignal): Promise<void> {
  await deleteRows(tx, signal, { from: "voice_credential", where: sql`expires_at < ${now}` });
}
