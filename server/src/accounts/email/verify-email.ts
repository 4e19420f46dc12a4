import { emailKey } from "@farline/domain/email-address.ts";
import { askerOf, enqueueMail, type Mailed } from "../../mail/mail.ts";
import type { Tx, Transaction } from "../../platform/database/database.ts";
import { linkToken, type SecretKeys } from "../../platform/settings/secret-keys.ts";
import { findCustomer, lockCustomer, markEmailVerified, type Customer } from "../record/customer.store.ts";
import { deleteEmailChange } from "../record/email-change.store.ts";
import { whereaboutsHashes, type Whereabouts } from "../identity-hashes/identity-hashes.ts";
import { isBrowserOf } from "../record/known-browser.store.ts";
import { consumeMailLink } from "../record/mail-link.store.ts";
import { DAY_LINK_MS, issueLink, linkExpired, readLink, RESET_LINK_MS } from "./mail-links.ts";
import type { AccountContext } from "../account-context.ts";

/** Mails a link that verifies the customer's address within 24 hours. */
export async function sendVerification(tx: Tx, customer: Customer, now: Date, asker = askerOf(customer)): Promise<Mailed> {
  const { id, email, name, language } = customer;
  const { linkId, expiresAt } = await issueLink(tx, { customerId: id, use: "verify_email", email, now, lifetimeMs: DAY_LINK_MS });
  return enqueueMail(tx, {
    asker,
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
    if (!(await consumeMailLink(tx, link.id, now))) throw linkExpired();
    // Otherwise the change would be applied without this address's consent.
    await deleteEmailChange(tx, customer.id);
    await markEmailVerified(tx, customer.id, { identityHashes: whereaboutsHashes(keys, from), now });
    return { customer: { ...customer, emailVerified: true }, resetToken: null };
  });
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
