import type { Tx } from "../../platform/database/database.ts";

export interface VoiceCredential {
  provider_id: string;
  customer_id: string;
  sip_username: string;
  expires_at: Date;
}

/** The customer's sign-in that expires last, if that is after `until`. */
export async function findCredential(tx: Tx, customerId: string, until: Date): Promise<VoiceCredential | undefined> {
  return tx
    .selectFrom("voice_credential")
    .select(["provider_id", "customer_id", "sip_username", "expires_at"])
    .where("customer_id", "=", customerId)
    .where("expires_at", ">", until)
    .orderBy("expires_at", "desc")
    .limit(1)
    .executeTakeFirst();
}

/** Stores a new sign-in and deletes the customer's expired ones. */
export async function saveCredential(tx: Tx, credential: VoiceCredential, now: Date): Promise<void> {
  await tx
    .deleteFrom("voice_credential")
    .where("customer_id", "=", credential.customer_id)
    .where("expires_at", "<", now)
    .execute();
  await tx
    .insertInto("voice_credential")
    .values({ ...credential, created_at: now })
    .onConflict((conflict) => conflict.column("provider_id").doNothing())
    .execute();
}

/** Deletes all of a customer's sign-ins. */
export async function deleteCredentials(tx: Tx, customerId: string): Promise<void> {
  await tx.deleteFrom("voice_credential").where("customer_id", "=", customerId).execute();
}

export async function deleteCredential(tx: Tx, providerId: string): Promise<void> {
  await tx.deleteFrom("voice_credential").where("provider_id", "=", providerId).execute();
}
