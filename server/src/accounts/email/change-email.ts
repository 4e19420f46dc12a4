import { emailKey } from "@farline/domain/email-address.ts";
import { randomUUID } from "node:crypto";
import type { EmailChangeResponse } from "@farline/contract/account-access.ts";
import type { RequestOrigin } from "../record/request-origin.ts";
import { enqueueMail, requireMailed, type Mailed } from "../../mail/mail.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Tx } from "../../platform/database/database.ts";
import {
  emailIsTaken,
  findCustomer,
  isEmailTakenError,
  lockCustomer,
  storeEmail,
  type Customer,
  emailTaken,
} from "../record/customer.store.ts";
import {
  confirmEmailChange,
  findEmailChange,
  finishEmailChange,
  replaceEmailChange,
  type EmailChange,
} from "../record/email-change.store.ts";
import { mailboxHashes, whereaboutsHashes } from "../identity-hashes/identity-hashes.ts";
import { isBrowserOf } from "../record/known-browser.store.ts";
import { deleteMailLinks, type MailLink } from "../record/mail-link.store.ts";
import { DAY_LINK_MS, issueLink, linkExpired, readLink } from "./mail-links.ts";
import { insertSecurityEvent } from "../record/security-event.store.ts";
import { sendNotice } from "../record/send-notice.ts";
import { lockSession, type SessionWithCustomer } from "../session/session.store.ts";
import type { AccountContext } from "../account-context.ts";

/** A link of a change, and where it was opened. */
interface OpenedLink {
  readonly token: string;
  readonly browserHash: Buffer | null;
  readonly from: RequestOrigin;
}

/**
 * Starts the change of a customer's address: mails a link to the new one, and to the current one if it is verified.
 * Cancels an earlier change. The caller must have called `proveOwner`.
 * @throws AppError email_taken; validation_failed if it is the current address; rate_limited without a mail
 */
export async function startEmailChange(ctx: AccountContext, customer: SessionWithCustomer, newEmail: string): Promise<Mailed[]> {
  if (emailKey(newEmail) === emailKey(customer.email))
    throw new AppError("validation_failed", { reason: "email_unchanged", field: "email" });
  if (await emailIsTaken(ctx.handle.db, newEmail)) throw emailTaken("address_taken");
  const now = ctx.clock.now();
  const change = { id: randomUUID(), customerId: customer.id, newEmail, needsOld: customer.emailVerified };
  return ctx.transaction(async (tx) => {
    await lockSession(tx, customer);
    await replaceEmailChange(tx, { ...change, now, expiresAt: new Date(now.getTime() + DAY_LINK_MS) });
    const sides = change.needsOld ? (["new", "old"] as const) : (["new"] as const);
    const mailed: Mailed[] = [];
    for (const side of sides) mailed.push(requireMailed(await sendChangeLink(tx, customer, { ...change, side, now })));
    return mailed;
  });
}

async function sendChangeLink(
  tx: Tx,
  customer: Customer,
  change: { id: string; newEmail: string; side: "old" | "new"; now: Date },
): Promise<Mailed> {
  const email = change.side === "new" ? change.newEmail : customer.email;
  const template = `change_email_${change.side}` as const;
  const { linkId, expiresAt } = await issueLink(tx, {
    customerId: customer.id,
    use: template,
    email,
    now: change.now,
    lifetimeMs: DAY_LINK_MS,
    emailChangeId: change.id,
  });
  const data = { name: customer.name, newEmail: change.newEmail, linkId };
  const asked = { template: "change_email_new", data, asker: { by: "stranger", customerId: customer.id } } as const;
  return enqueueMail(tx, {
    ...(template === "change_email_new" ? asked : { template, data }),
    to: email,
    language: customer.language,
    key: `${template} ${linkId}`,
    at: change.now,
    usefulUntil: expiresAt,
  });
}

/**
 * Confirms a change from one of the two addresses, and applies it once both are confirmed. Opening a link again gives the
 * same response. The new address can be confirmed only in a browser signed in to the account: otherwise its owner could end up
 * with an account that a stranger still has access to.
 * @throws AppError link_expired; email_taken if the new address was registered in the meantime
 */
export async function confirmChangeByLink(
  ctx: AccountContext,
  opened: OpenedLink,
): Promise<{ status: EmailChangeResponse["status"]; email: string }> {
  const { browserHash } = opened;
  const now = ctx.clock.now();
  const { link, side } = await readChangeLink(ctx, opened.token, now);
  try {
    return await ctx.transaction(async (tx) => {
      await lockCustomer(tx, link.customerId);
      const customer = await findCustomer(tx, link.customerId);
      if (customer === undefined || link.emailChangeId === null) throw linkExpired();
      const isOwn = browserHash !== null && (await isBrowserOf(tx, { customerId: customer.id, browserHash }));
      const change =
        side === "new" && !isOwn
          ? await findEmailChange(tx, link.emailChangeId)
          : await confirmEmailChange(tx, { id: link.emailChangeId, side, now });
      if (change === undefined) throw linkExpired();
      if (change.doneAt !== null) return { status: "changed", email: customer.email };
      if (side === "new" && !isOwn) return { status: "sign_in", email: customer.email };
      if (!isConfirmed(change)) return { status: "waiting", email: customer.email };
      return { status: "changed", email: await applyChange(tx, ctx, { customer, change, opened, now }) };
    });
  } catch (error) {
    if (isEmailTakenError(error)) throw emailTaken("address_taken");
    throw error;
  }
}

function isConfirmed(change: EmailChange): boolean {
  return change.newConfirmedAt !== null && (!change.needsOld || change.oldConfirmedAt !== null);
}

async function applyChange(
  tx: Tx,
  ctx: AccountContext,
  made: { customer: Customer; change: EmailChange; opened: OpenedLink; now: Date },
): Promise<string> {
  const { customer, change, opened, now } = made;
  const { from, browserHash } = opened;
  const { secretKeys: keys } = ctx.config;
  const where = whereaboutsHashes(keys, { network: from.network, browser: browserHash });
  await storeEmail(tx, customer.id, change.newEmail, {
    identityHashes: [...mailboxHashes(keys, change.newEmail), ...where],
    now,
  });
  await finishEmailChange(tx, change.id, now);
  await deleteMailLinks(tx, { customerId: customer.id, use: "reset_password" });
  await insertSecurityEvent(tx, { customerId: customer.id, kind: "email_changed", from, at: now });
  await sendNotice(tx, customer, { event: "email_changed", at: now, device: null });
  return change.newEmail;
}

/** The token identifies which of the two addresses it was sent to. */
async function readChangeLink(ctx: AccountContext, token: string, now: Date): Promise<{ link: MailLink; side: "old" | "new" }> {
  const { db } = ctx.handle;
  const keys = ctx.config.secretKeys;
  try {
    return { link: await readLink(db, { token, use: "change_email_new", now, keys }), side: "new" };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "link_expired") throw error;
    return { link: await readLink(db, { token, use: "change_email_old", now, keys }), side: "old" };
  }
}
