import { enqueueMail } from "../mail/mail.ts";
import type { Tx } from "../platform/database.ts";
import type { AccountParts } from "./account-parts.ts";
import { emailKey, findCustomer, lockCustomer, markEmailVerified, type Customer } from "./accounts.store.ts";
import { useMailLink } from "./mail-link.store.ts";
import { DAY_LINK_MS, issueLink, linkExpired, readLink } from "./mail-links.ts";

/** Mails a link, good for 24 hours, that proves that the customer's address is theirs. */
export async function sendVerification(tx: Tx, customer: Customer, now: Date): Promise<void> {
  const { id, email, name, language } = customer;
  const { linkId, expiresAt } = await issueLink(tx, { customerId: id, use: "verify_email", email, now, lifetimeMs: DAY_LINK_MS });
  await enqueueMail(tx, {
    template: "verify_email",
    data: { name, linkId },
    to: email,
    language,
    key: `verify_email ${linkId}`,
    at: now,
    usefulUntil: expiresAt,
  });
}

/**
 * Notes that a customer reads the mails of their address. Opening the link again says the same again: mail programs and
 * people open links twice.
 * @throws AppError link_expired, also when the address has changed since
 */
export async function verifyEmail(parts: Pick<AccountParts, "handle" | "clock" | "config">, token: string): Promise<Customer> {
  const now = parts.clock.now();
  const keys = parts.config.secretKeys;
  return parts.handle.db.transaction().execute(async (tx) => {
    const link = await readLink(tx, { token, use: "verify_email", now, keys });
    await lockCustomer(tx, link.customerId);
    const customer = await findCustomer(tx, link.customerId);
    if (customer === undefined || emailKey(customer.email) !== link.emailKey) throw linkExpired();
    if (customer.emailVerified) return customer;
    if (!(await useMailLink(tx, link.id, now))) throw linkExpired();
    await markEmailVerified(tx, customer.id);
    return { ...customer, emailVerified: true };
  });
}
