import type { CallContext } from "../call-context.ts";
import { claimRemovals, deleteCredential, deleteExpiredCredentials, endOrphanedCredentials } from "./voice-credential.store.ts";

/** Credentials deleted per run. */
const BATCH = 50;

/**
 * Deletes the credentials of ended sessions at the provider. Each run reads the pending deletions from the database, so a crash
 * loses none. A failed deletion is retried until the credential expires.
 */
export async function removeCredentials(ctx: CallContext, signal: AbortSignal): Promise<void> {
  const now = ctx.clock.now();
  const { db } = ctx.handle;
  await deleteExpiredCredentials(db, now, signal);
  await endOrphanedCredentials(db, now);
  for (const providerId of await claimRemovals(db, now, BATCH)) {
    if (signal.aborted) return;
    if (await ctx.commands.deleteCredential(providerId)) await deleteCredential(db, providerId);
  }
}
