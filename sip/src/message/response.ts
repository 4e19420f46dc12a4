import type { NameAddress, SipMessage, SipRequest, SipResponse } from "./message.ts";
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
  const isTagged = status === TRYING || tagOf(to) !== null;
  const tagged: NameAddress = isTagged ? to : withParameter(to, "tag", parts.toTag);
  const { headers = new Map(), body = new Uint8Array() } = parts;
  const response: SipResponse = { kind: "response", status, reason, vias, from, to: tagged, callId, cseq, headers, body };
  if (received === undefined) return response;
  return { ...response, repeats: isTagged ? received : { ...received, to: `${received.to};tag=${parts.toTag}` } };
}

/** The first value of a header, by lower-case long name. */
export function header(message: SipMessage, name: string): string | undefined {
  return message.headers.get(name)?.[0];
}
