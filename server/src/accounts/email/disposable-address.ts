import { disposableEmailBlocklistSet } from "disposable-email-domains-js";

let domains: Set<string> | undefined;

/**
 * Whether a mail address belongs to a service that gives mailboxes for minutes, or to a domain below one. Such an address
 * may have an account; what is given to each new person once is not given to it.
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
