import { randomBytes } from "node:crypto";
import type { SipRequest, SipResponse } from "@farline/sip/message/message.ts";

/** What makes a carrier difficult: each is valid SIP, or common in spite of the rules. */
export interface Quirks {
  /** Changes the responses to the INVITE. */
  readonly response?: (response: SipResponse, place: CarrierPlace) => SipResponse;
  /** Changes our requests in the dialog. */
  readonly request?: (request: SipRequest) => SipRequest;
  /** Changes the head of the call's messages as they are sent. */
  readonly head?: (head: string) => string;
  /** Changes our session descriptions. */
  readonly sdp?: (sdp: string) => string;
  /** Demands credentials before the call. */
  readonly credentials?: "server" | "proxy-then-server" | "single-use";
  /** Sends A-law if the caller takes it, whatever comes first in the answer. */
  readonly sendsAlaw?: boolean;
  /** Sends a reliable 183 and then moves the audio by UPDATE, both before the answer (RFC 3262, RFC 3311). */
  readonly movesBeforeAnswer?: boolean;
  /** After these times from the answer the audio comes from another port, unannounced. */
  readonly movesAfterMs?: readonly number[];
  /** Agrees to session timers of 90 s, and refuses the first refresh with 491 (RFC 4028). */
  readonly refusesFirstRefresh?: boolean;
}

export interface CarrierPlace {
  readonly host: string;
  readonly port: number;
  /** The dialled number. */
  readonly number: string;
}

const PADDING_HEADERS = 30;
const PADDING_CHARACTERS = 300;
/** A part of an ISUP message in binary, as gateways to the telephone network add it (RFC 3204). */
const ISUP = Buffer.from("0a000000ff0d0a2d2d00", "hex");

/** RFC 5621: the session description is one part of the body. */
export const multipart: Quirks = {
  response: (response) => {
    if (response.body.length === 0) return response;
    const boundary = randomBytes(12).toString("hex");
    const body = Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Type: application/isup;version=itu-t92+\r\n`),
      Buffer.from("Content-Disposition: signal;handling=optional\r\n\r\n"),
      ISUP,
      Buffer.from(`\r\n--${boundary}\r\nContent-Type: application/sdp\r\n\r\n`),
      response.body,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]);
    return withHeader({ ...response, body }, "content-type", `multipart/mixed;boundary=${boundary}`);
  },
};

/** RFC 3264 §6.1: the caller must be ready for each format of the answer. */
export const severalCodecs: Quirks = {
  sendsAlaw: true,
  sdp: (sdp) =>
    sdp
      .replace(/^(m=audio \d+ RTP\/AVP) [08](?= |\r)/m, "$1 0 8")
      .replace(/^a=rtpmap:[08] .*\r\n/m, "a=rtpmap:0 PCMU/8000\r\na=rtpmap:8 PCMA/8000\r\n"),
};

/** RFC 3261 §12.2.1.2: ACK and BYE go to the Contact of the 200. Nothing listens at that of the 180. */
export const movesContact: Quirks = {
  response: (response, { host, number }) =>
    response.status < 200 ? withHeader(response, "contact", `<sip:${number}@${host}:9>`) : response,
};

/** RFC 3261 §12.2.2: a request belongs to the dialog by its Call-ID and tags, whatever its Request-URI. */
export const otherUser: Quirks = {
  request: (request) => ({ ...request, uri: request.uri.replace(/^(sips?:)[^@]*@/, "$1somebody-else@") }),
};

/** RFC 3261 §7.3.1. */
export const folded: Quirks = {
  head: (head) => head.replace(/^Via: SIP\/2\.0\/(\w+) /gm, "Via: SIP/2.0/$1\r\n ").replace(/^Call-ID: /m, "Call-ID:\r\n\t"),
};

/** An answer that an exchange for IPv4 cannot use. */
export const ipv6Answer: Quirks = { sdp: (sdp) => sdp.replace(/^c=.*$/m, "c=IN IP6 2001:db8::1") };

/** The Contact names a host, which must be resolved (RFC 3263). */
export const namedContact: Quirks = {
  response: (response, { port, number }) => withHeader(response, "contact", `<sip:${number}@localhost:${port}>`),
};

/** A proxy without `lr` wants itself in the Request-URI (RFC 3261 §12.2.1.1). */
export const strictRouter: Quirks = {
  response: (response, { host, port }) => {
    const route = `<sip:strict@${host}:${port}>`;
    return withHeader(response, "record-route", route, ...(response.headers.get("record-route") ?? []));
  },
};

/** No To tag, as of RFC 2543, and no Content-Type; the called number as a tel URI. */
export const bareAnswer: Quirks = {
  response: (response, { number }) => {
    const headers = new Map(response.headers);
    headers.delete("content-type");
    headers.set("p-asserted-identity", [`<tel:${number}>`]);
    const parameters = new Map(response.to.parameters);
    parameters.delete("tag");
    const { repeats: _, ...written } = response;
    return { ...written, headers, to: { ...response.to, parameters } };
  },
};

/** RFC 3261 §7.2 allows an empty phrase. */
export const noPhrase: Quirks = { head: (head) => head.replace(/^(SIP\/2\.0 \d{3}) .*$/m, "$1") };

/** Nine thousand characters of headers. */
export const longHeaders: Quirks = {
  response: (response) =>
    withHeader(response, "x-padding", ...Array.from({ length: PADDING_HEADERS }, () => "x".repeat(PADDING_CHARACTERS))),
};

/** A redirect to a ported number (RFC 4694), which the echo line answers. */
export const redirect: Quirks = {
  response: (response, { host, port }) =>
    withHeader(response, "contact", `<sip:+442079460002;npdi;rn=+442079460999@${host}:${port}>`),
};

function withHeader(response: SipResponse, name: string, ...values: string[]): SipResponse {
  return { ...response, headers: new Map(response.headers).set(name, values) };
}
