/** The at sign and full stops of East Asian input methods. */
const AT_SIGNS = /[＠﹫]/gu;
const FULL_STOPS = /[。．｡]/gu;
/** RFC 5322 atoms, with non-ASCII letters as in RFC 6531. No invisible or control characters. */
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const TOP_LABEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;
const ASCII = /^[\u0020-\u007e]*$/;
const UNICODE_DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;
/** RFC 5321 §4.5.3.1: octets. */
const MAX_LOCAL_OCTETS = 64;
const MAX_OCTETS = 254;

/** Parses an email address and converts its domain to ASCII (IDNA); null if invalid. The case is kept. */
export function readEmailAddress(text: string): string | null {
  const [local, domain] = partsOf(text);
  if (domain === null || !LOCAL_PART.test(local) || new TextEncoder().encode(local).length > MAX_LOCAL_OCTETS) return null;
  const labels = domain.toLowerCase().split(".");
  const isDomain = labels.length > 1 && labels.every((label) => LABEL.test(label)) && TOP_LABEL.test(labels.at(-1) ?? "");
  const address = `${local}@${domain}`;
  return isDomain && new TextEncoder().encode(address).length <= MAX_OCTETS ? address : null;
}

/** Addresses with the same key are the same, regardless of case, Unicode composition and the domain's form. */
export function emailKey(text: string): string {
  const [local, domain] = partsOf(text);
  const key = (part: string): string => part.normalize("NFKC").toLowerCase().normalize("NFC");
  return domain === null ? key(local) : `${key(local)}@${domain.toLowerCase()}`;
}

/** The local part, and the domain in ASCII; null without a valid one. */
function partsOf(text: string): readonly [local: string, domain: string | null] {
  const plain = text.trim().normalize("NFC").replace(AT_SIGNS, "@");
  const at = plain.lastIndexOf("@");
  if (at < 0) return [plain, null];
  const domain = asciiDomain(plain.slice(at + 1).replace(FULL_STOPS, "."));
  return domain === null ? [plain, null] : [plain.slice(0, at), domain];
}

function asciiDomain(domain: string): string | null {
  if (ASCII.test(domain)) return domain;
  if (!UNICODE_DOMAIN.test(domain)) return null;
  const address = `http://${domain}`;
  // `URL.canParse` is missing in supported browsers.
  try {
    return new URL(address).hostname;
  } catch {
    return null;
  }
}
