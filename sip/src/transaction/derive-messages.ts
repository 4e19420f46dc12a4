import type { SipRequest, SipResponse } from "../message/message.ts";

/** The ACK to a final response other than 2xx: part of the INVITE's transaction, so with its Via (RFC 3261 §17.1.1.3). */
export function ackForRefusal(invite: SipRequest, { to }: SipResponse): SipRequest {
  return { ...sameTransaction(invite, "ACK", new Map()), to };
}

/** The CANCEL of a request (RFC 3261 §9.1). */
export function cancelFor(request: SipRequest, headers: SipRequest["headers"]): SipRequest {
  return sameTransaction(request, "CANCEL", headers);
}

function sameTransaction(request: SipRequest, method: string, headers: SipRequest["headers"]): SipRequest {
  const routes = request.headers.get("route");
  return {
    ...request,
    method,
    vias: request.vias.slice(0, 1),
    cseq: { number: request.cseq.number, method },
    headers: new Map([...(routes === undefined ? [] : [["route", routes] as const]), ["max-forwards", ["70"]], ...headers]),
    body: new Uint8Array(),
  };
}
