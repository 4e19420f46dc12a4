import { disposableEmailBlocklistSet } from "disposable-email-domains-js";

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
