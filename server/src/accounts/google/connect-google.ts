import { AppError } from "../../platform/app-error.ts";
import { endAccess } from "../session/end-access.ts";
import { listPasskeys } from "../record/passkey.store.ts";
import { insertSecurityEvent } from "../record/security-event.store.ts";
import { sendNotice } from "../record/send-notice.ts";
import { lockSession, type SessionWithCustomer } from "../session/session.store.ts";
import type { GoogleClaims } from "./decide-link.ts";
import { googleFailed, type GoogleContext } from "./google-provider.ts";
import {
  deleteIdentity,
  findIdentityOf,
  findIdentityOwner,
  insertIdentity,
  isIdentityTakenError,
} from "../record/identity.store.ts";

type From = { readonly device: string; readonly network: string };

/**
 * Links a Google account to the signed-in customer; the addresses may differ. Idempotent.
 * @throws AppError google_failed, conflict
 */
export async function connectGoogle(
  ctx: GoogleContext,
  customer: SessionWithCustomer,
  given: { claims: GoogleClaims; from: From },
): Promise<void> {
  const { claims, from } = given;
  const now = ctx.clock.now();
  if (!claims.emailVerified) throw googleFailed({ reason: "email not verified" });
  try {
    await ctx.transaction(async (tx) => {
      await lockSession(tx, customer);
      const owner = await findIdentityOwner(tx, claims);
      if (owner?.id === customer.id) return;
      if (owner !== undefined) throw belongsToAnother();
      if (await findIdentityOf(tx, { customerId: customer.id, issuer: claims.issuer }))
        throw new AppError("conflict", { reason: "google_other_connected" });
      await insertIdentity(tx, { ...claims, customerId: customer.id, now });
      await insertSecurityEvent(tx, { customerId: customer.id, kind: "google_linked", detail: claims.email, from, at: now });
      await sendNotice(tx, customer, { event: "google_linked", at: now, device: from.device });
    });
  } catch (error) {
    if (isIdentityTakenError(error)) throw belongsToAnother();
    throw error;
  }
}

/** Unlinks Google, and ends the other sessions, which it may have opened. @throws AppError last_sign_in_method, not_found */
export async function disconnectGoogle(
  ctx: GoogleContext,
  customer: SessionWithCustomer,
  given: { issuer: string; browserHash: Buffer | null; from: From },
): Promise<void> {
  const now = ctx.clock.now();
  await ctx.transaction(async (tx) => {
    await lockSession(tx, customer);
    if (!(await deleteIdentity(tx, { customerId: customer.id, issuer: given.issuer })))
      throw new AppError("not_found", { reason: "google_not_connected" });
    if (!customer.hasPassword && (await listPasskeys(tx, customer.id)).length === 0)
      throw new AppError("last_sign_in_method", { reason: "last_sign_in_method_google" });
    const others = { customerId: customer.id, exceptSession: customer.sessionId, exceptBrowser: given.browserHash };
    await endAccess(tx, others, { by: "sign_in_method_removed", at: now });
    await insertSecurityEvent(tx, { customerId: customer.id, kind: "google_unlinked", from: given.from, at: now });
    await sendNotice(tx, customer, { event: "google_unlinked", at: now, device: given.from.device });
  });
}

function belongsToAnother(): AppError {
  return new AppError("conflict", { reason: "google_account_taken" });
}
