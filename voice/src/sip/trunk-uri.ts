import type { Parameters } from "@farline/sip/message/message.ts";
import { escapeUser, writeUri } from "@farline/sip/message/uri.ts";

/** Writes a SIP URI. @param user empty for none */
export function sipUri(user: string, host: string, port: number | null = null, parameters: Parameters = new Map()): string {
  return writeUri({
    scheme: "sip",
    user: user === "" ? null : escapeUser(user),
    password: null,
    host,
    port,
    parameters,
    headers: new Map(),
  });
}
