import { createHmac } from "node:crypto";
import { deriveKey, type SecretKeys } from "../../platform/settings/secret-keys.ts";
import { mailboxOf } from "./mailbox-of.ts";

/** Networks that identify nobody: loopback and private ranges, IPv4 and IPv6, in the form of `shortNetwork`. */
const LOCAL_NETWORK = /^(127|10|192\.168|169\.254|172\.(1[6-9]|2\d|3[01]))\.|^(0:0:0:|fe80:|f[cd])/i;

export type MarkKind = "mailbox" | "browser" | "network" | "local_network";

/** A keyed hash that shows whether two accounts belong to the same person without identifying them. */
export interface PersonMark {
  readonly kind: MarkKind;
  readonly mark: Buffer;
}

/** Where a person signs up, signs in or verifies an address. */
export interface Whereabouts {
  /** From `shortNetwork`. */
  readonly network: string;
  /** SHA-256 of the browser cookie, or null without one. */
  readonly browser: Buffer | null;
}

export function whereaboutsMarks(keys: SecretKeys, { network, browser }: Whereabouts): PersonMark[] {
  const kind = LOCAL_NETWORK.test(network) ? "local_network" : "network";
  const ofNetwork = network === "" ? [] : marksOf(keys, kind, network);
  return browser === null ? ofNetwork : [...ofNetwork, ...marksOf(keys, "browser", browser.toString("hex"))];
}

export function mailboxMarks(keys: SecretKeys, email: string): PersonMark[] {
  return marksOf(keys, "mailbox", mailboxOf(email));
}

/** One per key, so that marks made with older keys still match. */
function marksOf(keys: SecretKeys, kind: MarkKind, value: string): PersonMark[] {
  return keys.map((key) => ({
    kind,
    mark: createHmac("sha256", deriveKey(key, `person mark ${kind}`))
      .update(value)
      .digest(),
  }));
}
