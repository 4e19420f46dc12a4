import { randomUUID } from "node:crypto";
import type { NameAddress, Parameters, SipRequest, SipResponse, Via } from "@farline/sip/message/message.ts";
import { hasForeignBody } from "@farline/sip/message/multipart.ts";
import { writeReason } from "@farline/sip/message/reason.ts";
import { header, responseTo, type ResponseParts } from "@farline/sip/message/response.ts";
import { isTooShort, MIN_SESSION_SECONDS, supportsTimer } from "@farline/sip/session-timer/session-expires.ts";

export const SDP_TYPE = "application/sdp";
/** Supported methods. No PRACK: we take no incoming calls, so we send no reliable provisional responses. */
export const ALLOWED_METHODS = ["INVITE", "ACK", "CANCEL", "BYE", "OPTIONS", "UPDATE"];
/** Extensions: session timers (RFC 4028), reliable provisional responses (RFC 3262). */
export const SUPPORTED_TAGS = ["timer", "100rel"];
const USER_AGENT = "Farline";

interface NewRequest {
  readonly method: string;
  readonly uri: string;
  readonly via: Via;
  readonly from: NameAddress;
  readonly to: NameAddress;
  readonly callId: string;
  readonly cseq: number;
  readonly headers: SipRequest["headers"];
  readonly body?: Uint8Array;
}

export type NewResponse = Omit<ResponseParts, "toTag">;

export type Refusal = readonly [status: number, reason: string, parts?: NewResponse];

export const UNSUPPORTED_MEDIA: Refusal = [415, "Unsupported Media Type", { headers: new Map([["accept", [SDP_TYPE]]]) }];

/** A request outside a dialog (RFC 3261 §8.1.1). */
export function newRequest({ method, via, cseq, headers, body, ...rest }: NewRequest): SipRequest {
  return {
    kind: "request",
    method,
    ...rest,
    vias: [via],
    cseq: { number: cseq, method },
    headers: new Map([["max-forwards", ["70"]], ["user-agent", [USER_AGENT]], ...headers]),
    body: body ?? new Uint8Array(),
  };
}

/** A response with a new tag, unless the request belongs to a dialog. */
export function newResponse(request: SipRequest, status: number, reason: string, parts: NewResponse = {}): SipResponse {
  return responseTo(request, status, reason, { toTag: randomUUID(), ...parts });
}

export function nameAddress(uri: string, tag?: string, display = ""): NameAddress {
  const parameters: Parameters = new Map(tag === undefined ? [] : [["tag", tag]]);
  return { display, uri, parameters };
}

/** @param uris the nearest proxy first */
export function routeHeaders(uris: readonly string[]): readonly (readonly [string, readonly string[]])[] {
  return uris.length === 0 ? [] : [["route", uris.map((uri) => `<${uri}>`)]];
}

/** The extensions that our requests on a trunk offer. */
export function supportedTags(sessionTimers: boolean): readonly string[] {
  return sessionTimers ? SUPPORTED_TAGS : ["100rel"];
}

export function sdpContents(sdp: string): { headers: readonly (readonly [string, readonly string[]])[]; body: Uint8Array } {
  return { headers: [["content-type", [SDP_TYPE]]], body: Buffer.from(sdp) };
}

/** A Reason header (RFC 3326) with our text. */
export function reasonHeader(protocol: string, cause: number, text: string): SipRequest["headers"] {
  return new Map([["reason", [writeReason({ protocol, cause, text: text.replace(/[\r\n]/g, "") })]]]);
}

/** Required extensions that we do not support (RFC 3261 §8.2.2.3). */
export function unsupportedTags({ headers }: SipRequest): string[] {
  const required = (headers.get("require") ?? []).map((tag) => tag.toLowerCase());
  return required.filter((tag) => tag !== "" && !SUPPORTED_TAGS.includes(tag));
}

/** Why a re-INVITE or UPDATE is refused, whatever its offer (RFC 3261 §8.2.3, RFC 4028 §9). */
export function refusalOfUpdate(request: SipRequest): Refusal | null {
  if (hasForeignBody(request)) return UNSUPPORTED_MEDIA;
  if (!isTooShort(header(request, "session-expires"), supportsTimer(request), MIN_SESSION_SECONDS)) return null;
  return [422, "Session Interval Too Small", { headers: new Map([["min-se", [String(MIN_SESSION_SECONDS)]]]) }];
}
