import { storePassword } from "../record/customer.store.ts";
import { endAccess } from "../session/end-access.ts";
import { deleteMailLinks } from "../record/mail-link.store.ts";
import { hashPassword } from "../credentials/password-hash.ts";
import { insertSecurityEvent } from "../record/security-event.store.ts";
import { sendNotice } from "../record/send-notice.ts";
import { lockSession, type SessionWithCustomer } from "../session/session.store.ts";
import type { AccountContext } from "../account-context.ts";

/**
 * Sets a signed-in customer's password. Signs out every other device and notifies the owner by
 * mail. The caller must have called `proveOwner`.
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
      { customerId, exceptSession: session.sessionId, exceptBrowser: wanted.browserHash },
      { by: "password_changed", at: now },
    );
    await deleteMailLinks(tx, { customerId, use: "reset_password" });
    await insertSecurityEvent(tx, { customerId, kind: "password_changed", from: wanted.from, at: now });
    await sendNotice(tx, session, { event: "password_changed", at: now, device: wanted.from.device });
  });
}
