import type { SipRequest, SipResponse } from "@farline/sip/message/message.ts";
import { tagOf } from "@farline/sip/message/name-address.ts";
import type { ServerUser } from "@farline/sip/transaction/transaction-layer.ts";
import type { SipHop } from "@farline/sip/transport/sip-endpoint.ts";
import type { CallRegistry } from "./call-registry.ts";
import { ALLOWED_METHODS, newResponse, type NewResponse, SDP_TYPE, unsupportedTags } from "./trunk-requests.ts";

const ALLOW: readonly [string, readonly string[]] = ["allow", ALLOWED_METHODS];

/** Dispatches requests of carriers to their calls. */
export class IncomingMessages implements ServerUser<SipHop> {
  readonly #registry: CallRegistry;
  readonly #send: (request: SipRequest, response: SipResponse) => void;

  constructor(registry: CallRegistry, send: (request: SipRequest, response: SipResponse) => void) {
    this.#registry = registry;
    this.#send = send;
  }

  onRequest(request: SipRequest): void {
    const { method, callId } = request;
    const inDialog = tagOf(request.to) !== null;
    const unsupported = unsupportedTags(request);
    const attempt = this.#registry.attempt(callId);
    if (!ALLOWED_METHODS.includes(method)) this.#respond(request, 405, "Method Not Allowed", { headers: new Map([ALLOW]) });
    // We take no incoming calls.
    else if (method === "INVITE" && !inDialog) this.#respond(request, 403, "Forbidden");
    else if (method === "OPTIONS" && !inDialog)
      this.#respond(request, 200, "OK", { headers: new Map([ALLOW, ["accept", [SDP_TYPE]]]) });
    else if (unsupported.length > 0)
      this.#respond(request, 420, "Bad Extension", { headers: new Map([["unsupported", unsupported]]) });
    else if (attempt === null || !inDialog) this.#respond(request, 481, "Call/Transaction Does Not Exist");
    else attempt.receive(request);
  }

  onAck(ack: SipRequest): void {
    this.#registry.attempt(ack.callId)?.receiveAck(ack);
  }

  onCancelled(invite: SipRequest): void {
    this.#respond(invite, 487, "Request Terminated");
  }

  onUnacknowledged(invite: SipRequest, { status }: SipResponse): void {
    if (status < 300) this.#registry.attempt(invite.callId)?.unacknowledged();
  }

  #respond(request: SipRequest, status: number, reason: string, parts?: NewResponse): void {
    this.#send(request, newResponse(request, status, reason, parts));
  }
}
