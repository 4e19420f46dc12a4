import type { AccountDependencies } from "../account-dependencies.ts";
import { storePassword } from "../accounts.store.ts";
import { endAccess } from "../session/end-access.ts";
import { deleteMailLinks } from "../email/mail-link.store.ts";
import { hashPassword } from "./password-hash.ts";
import { insertSecurityEvent } from "../activity/security-event.store.ts";
import { sendNotice } from "../email/send-notice.ts";
import { lockSession, type SessionWithCustomer } from "../session/session.store.ts";

/**
 * Sets a signed-in customer's password. Signs out every other device and notifies the owner by
 * mail. The caller must have proved to be the owner (`proveOwner`).
 */
export async function changePassword(
  deps: Pick<AccountDependencies, "handle" | "clock" | "config" | "passwordCost">,
  session: SessionWithCustomer,
  wanted: { password: string; browserHash: Buffer | null; from: { device: string; network: string } },
): Promise<void> {
  const password = await hashPassword(deps.config.secretKeys, wanted.password, deps.passwordCost);
  const now = deps.clock.now();
  const customerId = session.id;
  await deps.handle.db.transaction().execute(async (tx) => {
    await lockSession(tx, session);
    await storePassword(tx, { customerId, password });
    await endAccess(
      tx,
      { customerId, butSession: session.sessionId, butBrowser: wanted.browserHash },
      { why: "password_changed", at: now },
    );
    await deleteMailLinks(tx, { customerId, use: "reset_password" });
    await insertSecurityEvent(tx, { customerId, kind: "password_changed", from: wanted.from, at: now });
    await sendNotice(tx, session, { event: "password_changed", at: now, device: wanted.from.device });
  });
}
