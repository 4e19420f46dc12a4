import { createHmac } from "node:crypto";
import type { VoiceTokenResponse } from "@farline/contract/calls.ts";

export interface TurnConfig {
  /** `turn:` and `turns:` addresses (RFC 7065). */
  readonly urls: readonly string[];
  /** coturn's `static-auth-secret`. */
  readonly secret: string;
}

type IceServers = NonNullable<VoiceTokenResponse["voice"]["ice_servers"]>;

/**
 * Relays for browsers whose network lets no UDP out, with credentials that expire: the name is the time in seconds and who asks, the
 * password its HMAC-SHA1 (coturn's `use-auth-secret`).
 */
export function turnServers({ urls, secret }: TurnConfig, by: { name: string; expiresAt: Date }): IceServers {
  const username = `${Math.floor(by.expiresAt.getTime() / 1000)}:${by.name}`;
  const credential = createHmac("sha1", secret).update(username).digest("base64");
  return urls.map((one) => ({ urls: one, username, credential }));
}
