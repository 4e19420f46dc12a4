import { emailKey } from "@farline/domain/email-address.ts";
import type { PasswordResetRequest } from "@farline/contract/account-access.ts";
import type { RequestOrigin } from "../record/request-origin.ts";
import { type Asker, askerOf, enqueueMail } from "../../mail/mail.ts";
import type { Tx } from "../../platform/database/database.ts";
import {
  findByEmail,
  findCustomer,
  lockCustomer,
  markEmailVerified,
  type Profile,
  storePassword,
} from "../record/customer.store.ts";
import { endPlantedAccess } from "../sign-in/end-planted-access.ts";
import { consumeMailLink, dequeueResetRequest, type MailLink } from "../record/mail-link.store.ts";
import { issueLink, linkExpired, readLink, RESET_LINK_MS } from "../email/mail-links.ts";
import { hashPassword } from "../credentials/password-hash.ts";
import { checkNewPassword } from "../credentials/password-rules.ts";
import { whereaboutsHashes } from "../identity-hashes/identity-hashes.ts";
import { usesAuthenticator } from "../record/second-factor.store.ts";
import { isBrowserOf } from "../record/known-browser.store.ts";
import { insertSecurityEvent } from "../record/security-event.store.ts";
import { sendNotice } from "../record/send-notice.ts";
import type { AccountContext } from "../account-context.ts";

const MAX_PER_RUN = 50;

/**
 * Queues mails for the password-reset requests since the last run. Unknown addresses get none. What strangers ask for does not count
 * against the customer's own browsers.
 */
export async function sendResetLinks(ctx: AccountContext): Promise<void> {
  // One transaction each: a mailbox's lock is the last that a transaction takes.
  for (let sent = 0; sent < MAX_PER_RUN; sent += 1) if (!(await sendNextResetLink(ctx))) return;
}

/** @returns false if no request waits */
function sendNextResetLink(ctx: AccountContext): Promise<boolean> {
  return ctx.transaction(async (tx) => {
    const request = await dequeueResetRequest(tx);
    if (request === undefined) return false;
    const customer = await findByEmail(tx, request.emailKey);
    if (customer === undefined) return true;
    const { browserHash } = request;
    const isOwn = browserHash !== null && (await isBrowserOf(tx, { customerId: customer.id, browserHash }));
    await sendResetLink(tx, customer, { asker: isOwn ? askerOf(customer) : { by: "stranger" }, now: ctx.clock.now() });
    return true;
  });
}

async function sendResetLink(tx: Tx, customer: Profile, { asker, now }: { asker: Asker; now: Date }): Promise<void> {
  const { id, email, name, language } = customer;
  const { linkId, expiresAt } = await issueLink(tx, {
    customerId: id,
    use: "reset_password",
    email,
    now,
    lifetimeMs: RESET_LINK_MS,
  });
  await enqueueMail(tx, {
    asker,
    template: "reset_password",
    data: { name, linkId },
    to: email,
    language,
    key: `reset_password ${linkId}`,
    at: now,
    usefulUntil: expiresAt,
  });
}

/**
 * Sets a new password through a mailed link. This verifies the address, so access set up by others is revoked; no session is
 * started. A refused password leaves the link valid.
 * @returns the customer
 * @throws AppError link_expired, validation_failed
 */
export async function resetPassword(
  ctx: AccountContext,
  wanted: PasswordResetRequest,
  from: RequestOrigin & { browserHash: Buffer | null },
): Promise<Profile> {
  const { link, customer } = await readResetLink(ctx, wanted.token);
  checkNewPassword(wanted, customer);
  const password = await hashPassword(ctx.config.secretKeys, wanted.password, ctx.costs.password);
  const now = ctx.clock.now();
  const customerId = customer.id;
  await ctx.transaction(async (tx) => {
    await lockCustomer(tx, customerId);
    const locked = await findCustomer(tx, customerId);
    if (locked === undefined || !(await consumeMailLink(tx, link.id, now))) throw linkExpired();
    await insertSecurityEvent(tx, { customerId, kind: "password_reset", from, at: now });
    const removed = await endPlantedAccess(tx, ctx, { customer: locked, from, at: now });
    await storePassword(tx, { customerId, password });
    // Opening a mailed link proves ownership of the address.
    const identityHashes = whereaboutsHashes(ctx.config.secretKeys, { network: from.network, browser: from.browserHash });
    await markEmailVerified(tx, customerId, { identityHashes, now });
    const codeStays = await usesAuthenticator(tx, customerId);
    await sendNotice(tx, customer, { event: "password_reset", at: now, device: from.device, removed, codeStays });
  });
  await ctx.limits.signIn.unlock(customer.email);
  return customer;
}

/** Reads a link without using it. @throws AppError link_expired */
export async function readResetLink(ctx: AccountContext, token: string): Promise<{ link: MailLink; customer: Profile }> {
  const { db } = ctx.handle;
  const link = await readLink(db, { token, use: "reset_password", now: ctx.clock.now(), keys: ctx.config.secretKeys });
  const customer = await findCustomer(db, link.customerId);
  if (link.usedAt !== null || customer === undefined || emailKey(customer.email) !== link.emailKey) throw linkExpired();
  return { link, customer };
}
