import { storePassword } from "../accounts.store.ts";
import { endAccess } from "../session/end-access.ts";
import { deleteMailLinks } from "../email/mail-link.store.ts";
import { hashPassword } from "./password-hash.ts";
import { insertSecurityEvent } from "../activity/security-event.store.ts";
import { sendNotice } from "../email/send-notice.ts";
import { lockSession, type SessionWithCustomer } from "../session/session.store.ts";
import type { AccountContext } from "../account-context.ts";

/**
 * Sets a signed-in customer's password. Signs out every other device and notifies the owner by
 * mail. The caller must have proved to be the owner (`proveOwner`).
 */
export async function changePassword(
  ctx: AccountContext,
  session: SessionWithCustomer,
  wanted: { password: string; browserHash: Buffer | null; from: { device: string; network: string } },
): Promise<void> {
  const password = await hashPassword(ctx.config.secretKeys, wanted.password, ctx.costs.password);
  const now = ctx.clock.now();
  const customerId = session.id;
  await ctx.transaction(async (tx) => {
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
