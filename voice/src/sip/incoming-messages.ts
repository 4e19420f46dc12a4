import type { SipRequest, SipResponse } from "@farline/sip/message/message.ts";
import { hasForeignBody } from "@farline/sip/message/multipart.ts";
import { tagOf } from "@farline/sip/message/name-address.ts";
import type { ServerUser } from "@farline/sip/transaction/transaction-layer.ts";
import type { SipHop } from "@farline/sip/transport/sip-endpoint.ts";
import type { CallRegistry } from "./call-registry.ts";
import {
  ALLOWED_METHODS,
  newResponse,
  type NewResponse,
  type Refusal,
  SDP_TYPE,
  UNSUPPORTED_MEDIA,
  unsupportedTags,
} from "./trunk-requests.ts";

const ALLOW: readonly [string, readonly string[]] = ["allow", ALLOWED_METHODS];

const METHOD_NOT_ALLOWED: Refusal = [405, "Method Not Allowed", { headers: new Map([ALLOW]) }];

const KNOWN_SCHEME = /^(?:sips?|tel):/i;

/** Dispatches requests of carriers to their calls. */
export class IncomingMessages implements ServerUser<SipHop> {
  readonly #registry: CallRegistry;
  readonly #send: (request: SipRequest, response: SipResponse) => void;

  constructor(registry: CallRegistry, send: (request: SipRequest, response: SipResponse) => void) {
    this.#registry = registry;
    this.#send = send;
  }

  onRequest(request: SipRequest): void {
    const attempt = tagOf(request.to) === null ? null : this.#registry.attempt(request.callId);
    const refusal = attempt === null ? refusalOutsideCalls(request) : refusalInCall(request);
    if (refusal !== null) this.#respond(request, ...refusal);
    else if (attempt === null) this.#respond(request, 200, "OK", { headers: new Map([ALLOW, ["accept", [SDP_TYPE]]]) });
    else attempt.receive(request);
  }

  onAck(ack: SipRequest): void {
    this.#registry.attempt(ack.callId)?.receiveAck(ack);
  }

  onCancelled(invite: SipRequest): void {
    this.#respond(invite, 487, "Request Terminated");
    this.#registry.attempt(invite.callId)?.receiveCancel(invite);
  }

  onUnacknowledged(invite: SipRequest, { status }: SipResponse): void {
    if (status < 300) this.#registry.attempt(invite.callId)?.unacknowledged();
  }

  #respond(request: SipRequest, status: number, reason: string, parts?: NewResponse): void {
    this.#send(request, newResponse(request, status, reason, parts));
  }
}

/** In the order of RFC 3261 §8.2. Only OPTIONS has none: we take no incoming calls. */
function refusalOutsideCalls(request: SipRequest): Refusal | null {
  const { method, uri, flaw } = request;
  const isNew = tagOf(request.to) === null;
  if (flaw !== undefined) return [400, "Bad Request"];
  if (!ALLOWED_METHODS.includes(method)) return METHOD_NOT_ALLOWED;
  if (!KNOWN_SCHEME.test(uri)) return [416, "Unsupported URI Scheme"];
  const extension = refusalInCall(request);
  if (extension !== null) return extension;
  if (method === "INVITE" && isNew && hasForeignBody(request)) return UNSUPPORTED_MEDIA;
  if (method === "INVITE" && isNew) return [403, "Forbidden"];
  return method === "OPTIONS" && isNew ? null : [481, "Call/Transaction Does Not Exist"];
}

/** What is malformed or names another place does not end a call: a hang-up that is refused would be charged. */
function refusalInCall(request: SipRequest): Refusal | null {
  if (!ALLOWED_METHODS.includes(request.method)) return METHOD_NOT_ALLOWED;
  const unsupported = unsupportedTags(request);
  return unsupported.length === 0 ? null : [420, "Bad Extension", { headers: new Map([["unsupported", unsupported]]) }];
}
