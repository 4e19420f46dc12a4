import { Grammar, type IncomingResponseMessage, type URI } from "sip.js/lib/core/index.js";
import { namesNumber } from "../dialled-user.ts";
import { SUPPORTED_TAGS } from "../sip-core.ts";
import { MIN_SESSION_SECONDS, SESSION_SECONDS } from "./session-timer.ts";
import { defaultPort, type TrunkConfig } from "../trunk.ts";

/** Redirects, longer sessions and required extensions together. */
const MAX_RETRIES = 3;
const MAX_SESSION_SECONDS = 86_400;

/** The parameters of an INVITE that the carrier's responses may change. */
export interface InviteTerms {
  readonly target: URI;
  /** Seconds of Session-Expires and Min-SE (RFC 4028). */
  readonly sessionSeconds: number;
  readonly minSessionSeconds: number;
  /** Extensions that the carrier requires in Require (RFC 3261 §20.32). */
  readonly requires: readonly string[];
  readonly retries: number;
}

export function firstTerms(target: URI): InviteTerms {
  return { target, sessionSeconds: SESSION_SECONDS, minSessionSeconds: MIN_SESSION_SECONDS, requires: [], retries: 0 };
}

/**
 * The terms for another INVITE after a response; null if we give up. Redirects (RFC 3261 §8.1.3.4) are followed only to the trunk's
 * hosts and to the same number, because another number may cost more.
 */
export function termsAfter(
  response: IncomingResponseMessage,
  terms: InviteTerms,
  { trunk, number }: { trunk: TrunkConfig; number: string },
): InviteTerms | null {
  const status = response.statusCode ?? 0;
  if (terms.retries >= MAX_RETRIES) return null;
  const retries = terms.retries + 1;
  if (status >= 300 && status < 400) {
    const target = redirectTarget(response, trunk, number);
    return target === null ? null : { ...terms, target, retries };
  }
  if (status === 421) {
    const requires = response
      .getHeaders("require")
      .flatMap((line) => line.split(","))
      .map((tag) => tag.trim().toLowerCase());
    const possible = requires.length > 0 && terms.requires.length === 0 && requires.every((tag) => SUPPORTED_TAGS.includes(tag));
    return possible ? { ...terms, requires, retries } : null;
  }
  if (status === 422) {
    const seconds = Number(/^\s*(\d{1,6})/.exec(response.getHeader("min-se") ?? "")?.[1] ?? 0);
    const possible = seconds > terms.minSessionSeconds && seconds <= MAX_SESSION_SECONDS;
    if (!possible) return null;
    return { ...terms, sessionSeconds: Math.max(seconds, terms.sessionSeconds), minSessionSeconds: seconds, retries };
  }
  return null;
}

function redirectTarget(response: IncomingResponseMessage, trunk: TrunkConfig, number: string): URI | null {
  // A TCP or TLS trunk has one connection, to its own host.
  const hosts = trunk.transport === "udp" ? [trunk.host, ...(trunk.redirectHosts ?? [])] : [trunk.host];
  for (const line of response.getHeaders("contact")) {
    const uri = Grammar.nameAddrHeaderParse(line)?.uri;
    if (uri === undefined || uri.scheme !== "sip") continue;
    if (!hosts.some((host) => host.toLowerCase() === uri.host.toLowerCase())) continue;
    if ((uri.getParam("transport") ?? trunk.transport).toLowerCase() !== trunk.transport) continue;
    if (trunk.transport !== "udp" && (uri.port ?? defaultPort(trunk.transport)) !== trunk.port) continue;
    if (namesNumber(trunk, uri.user ?? "", number)) return uri;
  }
  return null;
}
