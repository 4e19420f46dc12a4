import type { SipRequest, SipResponse } from "../message/message.ts";
import { MAGIC_COOKIE } from "../message/via.ts";

/** Matches responses to requests (RFC 3261 §17.1.3). */
export function clientKey({ vias, cseq }: SipRequest | SipResponse): string {
  return `${vias[0]?.parameters.get("branch") ?? ""} ${cseq.method}`;
}

/**
 * Matches retransmissions, ACKs to refusals, and with `method` a CANCEL to the request that it cancels (RFC 3261 §17.2.3). Without the
 * magic cookie, as of RFC 2543, the other fields identify the request; To is left out, because the ACK has the tag of the response.
 */
export function serverKey(request: SipRequest, method = request.method === "ACK" ? "INVITE" : request.method): string {
  const via = request.vias[0];
  const branch = via?.parameters.get("branch") ?? "";
  const sentBy = `${via?.host.toLowerCase()}:${via?.port ?? ""}`;
  // The cookie alone identifies nothing (RFC 4475 §3.2.1).
  if (branch.startsWith(MAGIC_COOKIE) && branch !== MAGIC_COOKIE) return `${branch} ${sentBy} ${method}`;
  return [sentBy, branch, request.callId, request.from.parameters.get("tag") ?? "", request.cseq.number, method].join(" ");
}

/** Matches the ACK of a 2xx to its INVITE (RFC 3261 §13.2.2.4). */
export function isAckOf(ack: SipRequest, invite: SipRequest): boolean {
  return (
    invite.method === "INVITE" &&
    ack.callId === invite.callId &&
    ack.cseq.number === invite.cseq.number &&
    ack.from.parameters.get("tag") === invite.from.parameters.get("tag")
  );
}
