import { emailKey } from "@farline/domain/email-address.ts";
import { askerOf, type Asker, enqueueMail, type Mailed } from "../../mail/mail.ts";
import type { Tx, Transaction } from "../../platform/database/database.ts";
import { isLinkCode, linkToken, type SecretKeys } from "../../platform/settings/secret-keys.ts";
import { findCustomer, lockCustomer, markEmailVerified, type Customer } from "../record/customer.store.ts";
import { deleteEmailChange } from "../record/email-change.store.ts";
import { whereaboutsHashes, type Whereabouts } from "../identity-hashes/identity-hashes.ts";
import { isBrowserOf } from "../record/known-browser.store.ts";
import { consumeMailLink, countCodeTry, type MailLink } from "../record/mail-link.store.ts";
import { lockSession, type SessionWithCustomer } from "../session/session.store.ts";
import { AppError } from "../../platform/app-error.ts";
import { DAY_LINK_MS, issueLink, linkExpired, readLink, RESET_LINK_MS } from "./mail-links.ts";
import type { AccountContext } from "../account-context.ts";

/** How long a mailed code can be typed. */
const CODE_MS = 15 * 60_000;
/** Wrong codes for one mail. */
const MAX_CODE_TRIES = 5;

interface Asked {
  readonly now: Date;
  /** The session in which the mail's code works; null for any of the customer's. */
  readonly sessionId: string | null;
  readonly asker?: Asker;
}

/** Mails a link that verifies the customer's address within 24 hours, and a code for the page that asked for it. */
export async function sendVerification(tx: Tx, customer: Customer, { now, sessionId, asker }: Asked): Promise<Mailed> {
  const { id, email, name, language } = customer;
  const link = { customerId: id, use: "verify_email", email, now, lifetimeMs: DAY_LINK_MS, sessionId } as const;
  const { linkId, expiresAt } = await issueLink(tx, link);
  return enqueueMail(tx, {
    asker: asker ?? askerOf(customer),
    template: "verify_email",
    data: { name, linkId },
    to: email,
    language,
    key: `verify_email ${linkId}`,
    at: now,
    usefulUntil: expiresAt,
  });
}

/** Outcome of a link: the address is verified, or the link was opened in a browser not signed in to the account. */
type VerifyOutcome = { readonly customer: Customer; readonly resetToken: string | null };

/**
 * Verifies a customer's address if the browser is signed in to the account: then the owner of the address is the person
 * who signed up. Otherwise the password may be a stranger's, so the owner must choose a new one, which also verifies the
 * address (`resetToken`). Idempotent, because mail programs and people open links twice.
 * @throws AppError link_expired, also if the address changed in the meantime
 */
export async function verifyEmail(ctx: AccountContext, token: string, from: Whereabouts): Promise<VerifyOutcome> {
  const now = ctx.clock.now();
  const keys = ctx.config.secretKeys;
  const { browser: browserHash } = from;
  return ctx.transaction(async (tx) => {
    const link = await readLink(tx, { token, use: "verify_email", now, keys });
    await lockCustomer(tx, link.customerId);
    const customer = await findCustomer(tx, link.customerId);
    if (customer === undefined || emailKey(customer.email) !== link.emailKey) throw linkExpired();
    if (customer.emailVerified) return { customer, resetToken: null };
    if (browserHash === null || !(await isBrowserOf(tx, { customerId: customer.id, browserHash })))
      return { customer, resetToken: await issueResetToken(tx, customer, { now, keys }) };
    await useLink(tx, link, { keys, from, now });
    return { customer: { ...customer, emailVerified: true }, resetToken: null };
  });
}

/**
 * Verifies the address of the session's customer by the code of the newest mail, which works once, for 15 minutes and five attempts, and only
 * in the session that asked for the mail: somebody who signs up with another person's address cannot read the code.
 * @throws AppError `code_wrong` with the number of attempts left, `link_expired` once no code is accepted
 */
export async function verifyByCode(
  ctx: AccountContext,
  session: SessionWithCustomer,
  { code, from }: { readonly code: string; readonly from: Whereabouts },
): Promise<void> {
  const now = ctx.clock.now();
  const keys = ctx.config.secretKeys;
  // Attempts are counted although the request fails, so the refusal is thrown after the commit.
  const triesLeft = await ctx.transaction(async (tx) => {
    await lockSession(tx, session);
    const customer = await findCustomer(tx, session.id);
    if (customer === undefined || customer.emailVerified) return null;
    const wanted = { customerId: session.id, since: new Date(now.getTime() - CODE_MS), maxTries: MAX_CODE_TRIES };
    const link = await countCodeTry(tx, wanted);
    const isBound = link?.sessionId === null || link?.sessionId === session.sessionId;
    if (link === undefined || !isBound || link.emailKey !== emailKey(customer.email)) throw codeExpired();
    if (!isLinkCode(keys, { use: "verify_email", id: link.id, code })) return MAX_CODE_TRIES - link.tries;
    await useLink(tx, link, { keys, from, now });
    return null;
  });
  if (triesLeft === 0) throw codeExpired();
  if (triesLeft !== null)
    throw new AppError("code_wrong", { reason: "email_code_wrong", params: { left: triesLeft }, field: "code" });
}

function codeExpired(): AppError {
  return new AppError("link_expired", { reason: "email_code_expired", field: "code" });
}

async function useLink(
  tx: Tx,
  link: MailLink,
  { keys, from, now }: { readonly keys: SecretKeys; readonly from: Whereabouts; readonly now: Date },
): Promise<void> {
  if (!(await consumeMailLink(tx, link.id, now))) throw linkExpired();
  // Otherwise the change would be applied without this address's consent.
  await deleteEmailChange(tx, link.customerId);
  await markEmailVerified(tx, link.customerId, { identityHashes: whereaboutsHashes(keys, from), now });
}

async function issueResetToken(tx: Tx, { id, email }: Customer, { now, keys }: { now: Date; keys: SecretKeys }): Promise<string> {
  const use = "reset_password";
  const { linkId } = await issueLink(tx, { customerId: id, use, email, now, lifetimeMs: RESET_LINK_MS });
  return linkToken(keys, use, linkId);
}

/**
 * Marks a customer's address as confirmed, because an operator has seen proof that it is theirs. Without hashes of a browser or network,
 * it earns no free first call.
 * @returns false if it was confirmed already
 */
export async function confirmAddress(tx: Transaction, { customerId, at }: { customerId: string; at: Date }): Promise<boolean> {
  await lockCustomer(tx, customerId);
  const customer = await findCustomer(tx, customerId);
  if (customer === undefined || customer.emailVerified) return false;
  // As when the customer confirms it: the change would be applied without this address's consent.
  await deleteEmailChange(tx, customerId);
  await markEmailVerified(tx, customerId, { identityHashes: [], now: at });
  return true;
}
