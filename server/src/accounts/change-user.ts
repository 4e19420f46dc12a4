import type { UserChangeRequest } from "@farline/contract/account-access.ts";
import type { AccountContext } from "./account-context.ts";
import { storeLanguage, storeName } from "./record/customer.store.ts";
import { insertSecurityEvent, type SecurityEvent } from "./record/security-event.store.ts";
import { lockSession, type SessionWithCustomer } from "./session/session.store.ts";

interface UserChange {
  readonly session: SessionWithCustomer;
  readonly change: UserChangeRequest;
  readonly from: SecurityEvent["from"];
}

/**
 * Changes the language of a customer's mails, or the name. The account's history keeps the earlier name. Receipts keep the name that
 * they were issued to.
 * @throws AppError rate_limited after too many new names
 */
export async function changeUser(ctx: AccountContext, { session, change, from }: UserChange): Promise<SessionWithCustomer> {
  const { language = session.language, name = session.name } = change;
  const isRenamed = name !== session.name;
  if (isRenamed) await ctx.limits.nameChange.take(session.id);
  await ctx.transaction(async (tx) => {
    await lockSession(tx, session);
    if (change.language !== undefined) await storeLanguage(tx, session.id, language);
    if (!isRenamed) return;
    await storeName(tx, session.id, name);
    const event = { kind: "name_changed", detail: session.name, from, at: ctx.clock.now() } as const;
    await insertSecurityEvent(tx, { ...event, customerId: session.id });
  });
  if (isRenamed) ctx.live.publish(session.id, { type: "account" });
  return { ...session, language, name };
}
