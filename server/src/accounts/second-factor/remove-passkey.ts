import { AppError } from "../../platform/app-error.ts";
import { hasIdentity } from "../record/identity.store.ts";
import { insertSecurityEvent } from "../record/security-event.store.ts";
import { sendNotice } from "../record/send-notice.ts";
import { deletePasskey, listPasskeys } from "../record/passkey.store.ts";
import { endAccess } from "../session/end-access.ts";
import { lockSession, type SessionWithCustomer } from "../session/session.store.ts";
import type { AccountContext } from "../account-context.ts";

/** Removes a passkey unless it is the last sign-in method, and ends the other sessions, which it may have opened. @throws AppError not_found, last_sign_in_method */
export async function removePasskey(
  ctx: AccountContext,
  customer: SessionWithCustomer,
  given: { id: string; browserHash: Buffer | null; from: { device: string; network: string } },
): Promise<void> {
  const now = ctx.clock.now();
  await ctx.transaction(async (tx) => {
    await lockSession(tx, customer);
    const name = await deletePasskey(tx, { id: given.id, customerId: customer.id });
    if (name === undefined) throw new AppError("not_found", { reason: "passkey_unknown" });
    const otherWay =
      customer.hasPassword || (await listPasskeys(tx, customer.id)).length > 0 || (await hasIdentity(tx, customer.id));
    if (!otherWay) throw new AppError("last_sign_in_method", { reason: "last_sign_in_method_passkey" });
    const others = { customerId: customer.id, exceptSession: customer.sessionId, exceptBrowser: given.browserHash };
    await endAccess(tx, others, { by: "sign_in_method_removed", at: now });
    await insertSecurityEvent(tx, { customerId: customer.id, kind: "passkey_removed", detail: name, from: given.from, at: now });
    await sendNotice(tx, customer, { event: "passkey_removed", at: now, device: given.from.device });
  });
}
