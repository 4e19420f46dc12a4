import { type OutgoingRequestMessage, URI, type UserAgentCore } from "sip.js/lib/core/index.js";
import type { CallerIdentity } from "../caller-identity.ts";
import type { InviteTerms } from "./retry-invite.ts";
import { phoneParameters } from "../dialled-user.ts";
import { ALLOWED_METHODS, contactOf, credentialsOf, SDP_TYPE } from "../sip-core.ts";
import type { DialRequest, TrunkConfig } from "../trunk.ts";

export interface InviteOptions {
  readonly core: UserAgentCore;
  readonly trunk: TrunkConfig;
  readonly request: DialRequest;
  readonly identity: CallerIdentity;
  readonly callId: string;
  readonly terms: InviteTerms;
  /** The previous INVITE of the same attempt: the new one keeps its From tag and increments its CSeq (RFC 3261 §8.1.3.5). */
  readonly before: OutgoingRequestMessage | null;
}

export function inviteMessage({ core, trunk, request, identity, callId, terms, before }: InviteOptions): OutgoingRequestMessage {
  const timers = trunk.sessionTimers ? [`Session-Expires: ${terms.sessionSeconds}`, `Min-SE: ${terms.minSessionSeconds}`] : [];
  const message = core.makeOutgoingRequestMessage(
    "INVITE",
    terms.target,
    identity.from,
    new URI("sip", request.to, trunk.host, undefined, phoneParameters(trunk)),
    {
      callId,
      fromDisplayName: identity.displayName ?? request.displayName ?? "",
      ...(before === null ? {} : { fromTag: before.fromTag, cseq: before.cseq + 1 }),
    },
    [
      `Contact: ${contactOf(core)}`,
      `Allow: ${ALLOWED_METHODS.join(", ")}`,
      `Accept: ${SDP_TYPE}`,
      ...timers,
      ...(terms.requires.length === 0 ? [] : [`Require: ${terms.requires.join(", ")}`]),
      ...identity.headers,
      ...Object.entries(request.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ],
    { contentDisposition: "session", contentType: SDP_TYPE, content: request.sdp },
  );
  credentialsOf(core)?.authorise(message);
  return message;
}
