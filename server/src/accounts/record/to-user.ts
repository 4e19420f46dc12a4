import type { User } from "@farline/contract/accounts.ts";
import { disposableEmailBlocklistSet } from "disposable-email-domains-js";
import type { Profile } from "./customer.store.ts";

/** A customer in the contract's form. */
export function toUser(customer: Profile): User {
  return {
    id: customer.id,
    name: customer.name,
    email: customer.email,
    email_verified: customer.emailVerified,
    email_refused: customer.emailRefused,
    link_mailed: customer.linkMailed,
    disposable_email: isDisposableAddress(customer.email),
    status: customer.status,
    frozen_because: customer.frozenBecause,
    closes_at: customer.closesAt?.toISOString() ?? null,
    language: customer.language,
    has_password: customer.hasPassword,
    created_at: customer.createdAt.toISOString(),
  };
}

let domains: Set<string> | undefined;

/**
 * Whether an email address belongs to a disposable-mailbox service or a subdomain of one. Such an address
 * may have an account, but gets no once-per-person bonus.
 */
export function isDisposableAddress(email: string): boolean {
  domains ??= disposableEmailBlocklistSet();
  let domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  while (domain.includes(".")) {
    if (domains.has(domain)) return true;
    domain = domain.slice(domain.indexOf(".") + 1);
  }
  return false;
}
