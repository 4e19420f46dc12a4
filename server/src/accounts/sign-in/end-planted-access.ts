import type { RequestOrigin } from "../record/request-origin.ts";
import type { RemovedAccess } from "../../mail/mail.ts";
import { endDownloadTickets } from "../../platform/http/download-ticket.ts";
import type { Tx } from "../../platform/database/database.ts";
import { clearPassword, type Profile, setPasswordResetAt } from "../record/customer.store.ts";
import { deleteEmailChange } from "../record/email-change.store.ts";
import { endAccess } from "../session/end-access.ts";
import { deleteIdentities, deleteLinkFlows } from "../record/google.store.ts";
import { deleteMailLinks } from "../record/mail-link.store.ts";
import {
  deleteAuthenticator,
  deletePasskeyChallenges,
  deletePasskeys,
  deleteWaitingAuthenticator,
} from "../record/second-factor.store.ts";
import { insertSecurityEvent } from "../record/security-event.store.ts";
import type { AccountContext } from "../account-context.ts";

/** The verification link stays: it reports that the address is verified. */
const ENDED_LINKS = ["reset_password", "change_email_new", "change_email_old"] as const;

/**
 * Ends all access to an account that an intruder could have set up, because the owner of its address has just verified
 * it: devices, sign-in methods, pending requests, running calls, and the cards of a never-verified account. An
 * authenticator is removed by the first verification only: later, access to the mailbox alone must not bypass it. The
 * customer must be read under `lockCustomer`, before the address is marked as verified.
 * @returns the removed access, for the owner's mail
 */
export async function endPlantedAccess(
  tx: Tx,
  ctx: AccountContext,
  wanted: { customer: Profile; from: RequestOrigin; at: Date },
): Promise<RemovedAccess[]> {
  const { customer, from, at } = wanted;
  const customerId = customer.id;
  const firstProof = !customer.emailVerified;
  const removed: RemovedAccess[] = [];
  const record = async (kind: "email_change_ended" | "passkey_removed" | "google_unlinked" | "two_factor_off", detail?: string) =>
    insertSecurityEvent(tx, { customerId, kind, detail, from, at });
  await clearPassword(tx, customerId);
  await setPasswordResetAt(tx, customerId, at);
  await endAccess(tx, { customerId, exceptSession: null, exceptBrowser: null }, { by: "password_reset", at });
  for (const use of ENDED_LINKS) await deleteMailLinks(tx, { customerId, use });
  await endDownloadTickets(tx, customerId);
  await deletePasskeyChallenges(tx, customerId);
  await deleteLinkFlows(tx, customerId);
  const newEmail = await deleteEmailChange(tx, customerId);
  if (newEmail !== null) {
    removed.push("email_change");
    await record("email_change_ended", newEmail);
  }
  const passkeys = await deletePasskeys(tx, customerId);
  if (passkeys.length > 0) removed.push("passkeys");
  for (const name of passkeys) await record("passkey_removed", name);
  const identities = await deleteIdentities(tx, customerId);
  if (identities.length > 0) removed.push("google");
  for (const email of identities) await record("google_unlinked", email);
  if (!firstProof) await deleteWaitingAuthenticator(tx, customerId);
  else if (await deleteAuthenticator(tx, customerId)) {
    removed.push("authenticator");
    await record("two_factor_off");
  }
  for (const end of ctx.endElsewhere) removed.push(...(await end(tx, { customerId, firstProof, at })));
  return removed;
}
