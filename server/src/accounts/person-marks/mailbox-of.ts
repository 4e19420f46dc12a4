/** Services that ignore dots before the @. */
const DOTLESS = new Set(["gmail.com", "googlemail.com"]);

/**
 * The mailbox that an address probably belongs to: in lower case, without a plus suffix, and without dots where the
 * service ignores them. For recognising people, never for signing in.
 */
export function mailboxOf(email: string): string {
  const [name, domain] = splitLast(email.normalize("NFKC").toLowerCase());
  const plain = name.split("+", 1)[0] ?? "";
  const service = domain === "googlemail.com" ? "gmail.com" : domain;
  return `${DOTLESS.has(domain) ? plain.replaceAll(".", "") : plain}@${service}`;
}

function splitLast(address: string): [string, string] {
  const at = address.lastIndexOf("@");
  return [address.slice(0, at), address.slice(at + 1)];
}
