import type { SipMessage, SipRequest, SipResponse } from "./message.ts";
import { tagOf, withParameter } from "./name-address.ts";

const TRYING = 100;

export interface ResponseParts {
  /** Added to To if the request has none, except in a 100 (RFC 3261 §8.2.6.2). */
  readonly toTag: string;
  readonly headers?: SipMessage["headers"];
  readonly body?: Uint8Array;
}

/** Builds a response with the fields that are copied from the request (RFC 3261 §8.2.6.2). */
export function responseTo(request: SipRequest, status: number, reason: string, parts: ResponseParts): SipResponse {
  const { vias, from, to, callId, cseq, received } = request;
  const { headers = new Map(), body = new Uint8Array() } = parts;
  const copied = { vias, from, to, callId, cseq, ...(received === undefined ? {} : { repeats: received }) };
  const response: SipResponse = { kind: "response", status, reason, ...copied, headers, body };
  return status === TRYING ? response : withToTag(response, parts.toTag);
}

/** Adds a tag to To, unless it has one. */
export function withToTag(response: SipResponse, tag: string): SipResponse {
  const { to, repeats } = response;
  if (tagOf(to) !== null) return response;
  const tagged = { ...response, to: withParameter(to, "tag", tag) };
  return repeats === undefined || repeats.to === ""
    ? tagged
    : { ...tagged, repeats: { ...repeats, to: `${repeats.to};tag=${tag}` } };
}

/** The first value of a header, by lower-case long name. */
export function header(message: SipMessage, name: string): string | undefined {
  return message.headers.get(name)?.[0];
}
