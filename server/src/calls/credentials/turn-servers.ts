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
 * TURN servers for browsers whose network blocks UDP, with expiring credentials (coturn's `use-auth-secret`): the username is the
 * expiry in seconds and the user, the password its HMAC-SHA1.
 */
export function turnServers({ urls, secret }: TurnConfig, by: { name: string; expiresAt: Date }): IceServers {
  const username = `${Math.floor(by.expiresAt.getTime() / 1000)}:${by.name}`;
  const credential = createHmac("sha1", secret).update(username).digest("base64");
  return urls.map((one) => ({ urls: one, username, credential }));
}
