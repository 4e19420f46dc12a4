/** Long names by compact form (RFC 3261 §7.3.3 and the registry of IANA). */
const LONG_NAMES: ReadonlyMap<string, string> = new Map([
  ["a", "accept-contact"],
  ["b", "referred-by"],
  ["c", "content-type"],
  ["d", "request-disposition"],
  ["e", "content-encoding"],
  ["f", "from"],
  ["i", "call-id"],
  ["j", "reject-contact"],
  ["k", "supported"],
  ["l", "content-length"],
  ["m", "contact"],
  ["n", "identity-info"],
  ["o", "event"],
  ["r", "refer-to"],
  ["s", "subject"],
  ["t", "to"],
  ["u", "allow-events"],
  ["v", "via"],
  ["x", "session-expires"],
  ["y", "identity"],
]);

/** Headers whose values may be joined by commas (RFC 3261 §7.3.1). Challenges and credentials are not among them. */
const LISTS: ReadonlySet<string> = new Set([
  ...["accept", "accept-contact", "accept-encoding", "accept-language", "alert-info", "allow", "allow-events", "call-info"],
  ...["contact", "content-encoding", "content-language", "diversion", "error-info", "history-info", "in-reply-to"],
  ...["p-asserted-identity", "p-preferred-identity", "path", "proxy-require", "reason", "record-route", "reject-contact"],
  ...["require", "route", "service-route", "supported", "unsupported", "via", "warning"],
]);

/** Names that are not written with each word capitalised. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ["call-id", "Call-ID"],
  ["cseq", "CSeq"],
  ["mime-version", "MIME-Version"],
  ["min-se", "Min-SE"],
  ["rack", "RAck"],
  ["rseq", "RSeq"],
  ["www-authenticate", "WWW-Authenticate"],
]);

/** The lower-case long name of a header. */
export function longName(name: string): string {
  const lower = name.toLowerCase();
  return LONG_NAMES.get(lower) ?? lower;
}

export function isList(name: string): boolean {
  return LISTS.has(name);
}

export function spellingOf(name: string): string {
  return SPELLINGS.get(name) ?? name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}
