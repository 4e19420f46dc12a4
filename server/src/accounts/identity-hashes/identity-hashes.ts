import { createHmac } from "node:crypto";
import { deriveKey, type SecretKeys } from "../../platform/settings/secret-keys.ts";

/** Services that ignore dots before the @. */
const DOTLESS = new Set(["gmail.com", "googlemail.com"]);
/** Networks that identify nobody: loopback and private ranges, IPv4 and IPv6, in the form of `shortNetwork`. */
const LOCAL_NETWORK = /^(127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\.|^(0:0:0:|fe80:|f[cd])/i;

export type IdentityKind = "mailbox" | "browser" | "network" | "local_network";

/** A keyed hash that shows whether two accounts belong to the same person without identifying them. */
export interface IdentityHash {
  readonly kind: IdentityKind;
  readonly hash: Buffer;
}

/** Where a person signs up, signs in or verifies an address. */
export interface Whereabouts {
  /** From `shortNetwork`. */
  readonly network: string;
  /** SHA-256 of the browser cookie, or null without one. */
  readonly browser: Buffer | null;
}

export function whereaboutsHashes(keys: SecretKeys, { network, browser }: Whereabouts): IdentityHash[] {
  const kind = LOCAL_NETWORK.test(network) ? "local_network" : "network";
  const ofNetwork = network === "" ? [] : hashesOf(keys, kind, network);
  return browser === null ? ofNetwork : [...ofNetwork, ...hashesOf(keys, "browser", browser.toString("hex"))];
}

export function mailboxHashes(keys: SecretKeys, email: string): IdentityHash[] {
  return hashesOf(keys, "mailbox", mailboxOf(email));
}

/** One per key, so that hashes made with older keys still match. */
function hashesOf(keys: SecretKeys, kind: IdentityKind, value: string): IdentityHash[] {
  return keys.map((key) => ({
    kind,
    hash: createHmac("sha256", deriveKey(key, `person mark ${kind}`))
      .update(value)
      .digest(),
  }));
}

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
