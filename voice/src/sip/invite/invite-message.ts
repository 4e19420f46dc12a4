import type { SipRequest, Via } from "@farline/sip/message/message.ts";
import { writeSessionExpires } from "@farline/sip/session-timer/session-expires.ts";
import type { CallerIdentity } from "../caller-identity.ts";
import { phoneParameters } from "../dialled-user.ts";
import type { DialRequest } from "../trunk.ts";
import type { TrunkLine } from "../trunk-line.ts";
import {
  ALLOWED_METHODS,
  nameAddress,
  newRequest,
  routeHeaders,
  SDP_TYPE,
  sdpContents,
  supportedTags,
} from "../trunk-requests.ts";
import { sipUri } from "../trunk-uri.ts";
import type { InviteTerms } from "./retry-invite.ts";

interface InviteOptions {
  readonly line: TrunkLine;
  readonly request: DialRequest;
  readonly identity: CallerIdentity;
  readonly callId: string;
  /** The From tag, which all INVITEs of an attempt share (RFC 3261 §8.1.3.5). */
  readonly tag: string;
  readonly cseq: number;
  readonly terms: InviteTerms;
}

export function inviteMessage({ line, request, identity, callId, tag, cseq, terms }: InviteOptions, via: Via): SipRequest {
  const { trunk, contact } = line;
  const { headers, body } = sdpContents(request.sdp);
  return newRequest({
    method: "INVITE",
    uri: terms.target,
    via,
    from: nameAddress(identity.from, tag, identity.displayName ?? request.displayName ?? ""),
    to: nameAddress(sipUri(request.to, trunk.host, null, phoneParameters(trunk))),
    callId,
    cseq,
    headers: new Map([
      ...routeHeaders(line.routes),
      ["contact", [contact]],
      ["allow", ALLOWED_METHODS],
      ["accept", [SDP_TYPE]],
      ["supported", supportedTags(trunk.sessionTimers)],
      ...(trunk.sessionTimers ? sessionHeaders(terms, null) : []),
      ...(terms.requires.length === 0 ? [] : [["require", terms.requires] as const]),
      ...identity.headers,
      ...Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), [value]] as const),
      ...headers,
    ]),
    body,
  });
}

/** What we propose for the session timer (RFC 4028 §7.1). */
export function sessionHeaders(
  { sessionSeconds, minSessionSeconds }: Pick<InviteTerms, "sessionSeconds" | "minSessionSeconds">,
  refresher: "uac" | null,
): readonly (readonly [string, readonly string[]])[] {
  return [
    ["session-expires", [writeSessionExpires({ seconds: sessionSeconds, refresher })]],
    ["min-se", [String(minSessionSeconds)]],
  ];
}
