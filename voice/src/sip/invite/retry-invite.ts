import type { SipResponse } from "@farline/sip/message/message.ts";
import { parseNameAddress } from "@farline/sip/message/name-address.ts";
import { header } from "@farline/sip/message/response.ts";
import { parseSipUri, userOf } from "@farline/sip/message/uri.ts";
import { demandedSeconds, MIN_SESSION_SECONDS } from "@farline/sip/session-timer/session-expires.ts";
import { namesNumber } from "../dialled-user.ts";
import { SUPPORTED_TAGS } from "../trunk-requests.ts";
import type { TrunkConfig } from "../trunk.ts";

/** Long enough to be cheap, and short enough that a carrier that has lost us ends its leg (RFC 4028 §4). */
const SESSION_SECONDS = 1_800;
/** Redirects, longer sessions and required extensions together. */
const MAX_RETRIES = 3;

/** The parameters of an INVITE that the carrier's responses may change. */
export interface InviteTerms {
  /** The Request-URI. */
  readonly target: string;
  /** Seconds of Session-Expires and Min-SE (RFC 4028). */
  readonly sessionSeconds: number;
  readonly minSessionSeconds: number;
  /** Extensions that the carrier requires in Require (RFC 3261 §20.32). */
  readonly requires: readonly string[];
  readonly retries: number;
}

export function firstTerms(target: string): InviteTerms {
  return { target, sessionSeconds: SESSION_SECONDS, minSessionSeconds: MIN_SESSION_SECONDS, requires: [], retries: 0 };
}

/**
 * The terms for another INVITE after a response; null if we give up. Redirects (RFC 3261 §8.1.3.4) are followed only to the trunk's
 * hosts and to the same number, because another number may cost more.
 */
export function termsAfter(
  response: SipResponse,
  terms: InviteTerms,
  { trunk, number }: { trunk: TrunkConfig; number: string },
): InviteTerms | null {
  const { status } = response;
  if (terms.retries >= MAX_RETRIES) return null;
  const retries = terms.retries + 1;
  if (status >= 300 && status < 400) {
    const target = redirectTarget(response, trunk, number);
    return target === null ? null : { ...terms, target, retries };
  }
  if (status === 421) {
    const requires = (response.headers.get("require") ?? []).map((tag) => tag.toLowerCase());
    const possible = requires.length > 0 && terms.requires.length === 0 && requires.every((tag) => SUPPORTED_TAGS.includes(tag));
    return possible ? { ...terms, requires, retries } : null;
  }
  if (status === 422) {
    const seconds = demandedSeconds(header(response, "min-se"), terms.minSessionSeconds);
    if (seconds === null) return null;
    return { ...terms, sessionSeconds: Math.max(seconds, terms.sessionSeconds), minSessionSeconds: seconds, retries };
  }
  return null;
}

function redirectTarget(response: SipResponse, trunk: TrunkConfig, number: string): string | null {
  const hosts = [trunk.host, ...(trunk.redirectHosts ?? [])];
  for (const contact of response.headers.get("contact") ?? []) {
    const target = parseNameAddress(contact)?.uri.replace(/\?.*$/, "") ?? "";
    const uri = parseSipUri(target);
    if (uri === null || uri.scheme !== "sip") continue;
    if (!hosts.some((host) => host.toLowerCase() === uri.host.toLowerCase()) || uri.parameters.has("maddr")) continue;
    if (namesNumber(trunk, userOf(target), number)) return target;
  }
  return null;
}
