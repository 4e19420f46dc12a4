import { isIPv6 } from "node:net";
import { MediaError } from "../media-plane.ts";
import type { Endpoint } from "../rtp/source-latch.ts";
import { sanitizeSdp } from "../sdp/browser-sdp.ts";
import { rtcpPortOf, type TrunkCodec, type TrunkSession } from "../sdp/trunk-sdp.ts";

/** The far end's tag in rtpengine's calls. */
export const FAR_TAG = "far";
/** Payload type of telephone-event until the far end chooses one. */
const LOCAL_EVENT_PAYLOAD = 101;
/** RFC 863: without a far end, audio goes to the discard port of rtpengine's machine. */
export const DISCARD: Endpoint = { address: "127.0.0.1", port: 9 };
const TRANSPORT_LINE = /^a=(ice-ufrag|ice-pwd|fingerprint|setup|rtcp-mux)\b/;

/** The far end as described to rtpengine. */
export interface FarDescription {
  readonly sdp: string;
  /** The far end's payload type of telephone-event; ours if it has none. */
  readonly eventPayload: number;
  readonly needsAlaw: boolean;
}

/**
 * The browser's SDP for rtpengine: its transport, PCMU and telephone-event, which is added because rtpengine sends events only in
 * sessions that have it. @throws MediaError `bad_sdp`
 */
export function describeBrowser(sdp: string, eventPayload: number): string {
  const lines = sanitizeSdp(sdp).trimEnd().split("\r\n");
  const media = lines.find((line) => line.startsWith("m=audio ")) ?? "";
  if (!/^m=audio [1-9]\d{0,4} UDP\/TLS\/RTP\/SAVPF( \d+)*? 0( |$)/.test(media))
    throw new MediaError("bad_sdp", "The description has no PCMU audio.");
  return join([
    ...head(DISCARD.address),
    `m=audio ${DISCARD.port} UDP/TLS/RTP/SAVPF 0 ${eventPayload}`,
    ...lines.filter((line) => TRANSPORT_LINE.test(line) || line.startsWith("a=mid:")),
    ...codecLines([0, "PCMU"], [eventPayload, "telephone-event"]),
    "a=sendrecv",
  ]);
}

/** rtpengine's SDP for the browser: PCMU, and the candidate for both RTP and RTCP. */
export function describeForBrowser(ngSdp: string): string {
  const lines = ngSdp.split(/\r?\n/);
  const mid = lines.find((line) => line.startsWith("a=mid:")) ?? "a=mid:0";
  return join([
    ...head("0.0.0.0"),
    ...lines.filter((line) => line === "a=ice-lite"),
    mid.replace("a=mid:", "a=group:BUNDLE "),
    `m=audio ${DISCARD.port} UDP/TLS/RTP/SAVPF 0`,
    mid,
    ...lines.filter((line) => TRANSPORT_LINE.test(line) || /^a=candidate:\S+ 1 /.test(line)),
    ...codecLines([0, "PCMU"]),
    "a=sendrecv",
  ]);
}

/** RFC 3551 table 4. */
const STATIC_PAYLOADS: Readonly<Partial<Record<TrunkCodec, number>>> = { PCMU: 0, PCMA: 8 };

/** @throws MediaError `bad_sdp` for G.711 with a non-standard payload type, which rtpengine cannot map */
export function describeFar(session: TrunkSession): FarDescription {
  if (session.payloadType !== STATIC_PAYLOADS[session.codec])
    throw new MediaError("bad_sdp", `rtpengine cannot send ${session.codec} as payload type ${session.payloadType}.`);
  const rtp = session.rtp ?? DISCARD;
  const rtcp = session.rtcp ?? { address: rtp.address, port: rtcpPortOf(rtp.port) };
  const event = session.eventPayloadType;
  const audio = [session.payloadType, session.codec] as const;
  return {
    sdp: farSdp(rtp, rtcp, event === null ? [audio] : [audio, [event, "telephone-event"]]),
    eventPayload: event ?? LOCAL_EVENT_PAYLOAD,
    needsAlaw: session.codec === "PCMA",
  };
}

/** A placeholder for the far end. With rtpengine's own address as `rtp` the caller hears themselves. */
export function describePlaceholder(rtp: Endpoint = DISCARD): FarDescription {
  const codecs = [
    [0, "PCMU"],
    [LOCAL_EVENT_PAYLOAD, "telephone-event"],
  ] as const;
  // A port other than RTP's, or rtpengine would assume multiplexing.
  return {
    sdp: farSdp(rtp, { ...DISCARD, port: DISCARD.port + 1 }, codecs),
    eventPayload: LOCAL_EVENT_PAYLOAD,
    needsAlaw: false,
  };
}

/** rtpengine's RTP address. @throws MediaError `internal` */
export function endpointIn(ngSdp: string): Endpoint {
  const address = /^c=IN IP[46] (\S+)/m.exec(ngSdp)?.[1];
  const port = Number(/^m=audio (\d+)/m.exec(ngSdp)?.[1]);
  if (address === undefined || !(port > 0)) throw new MediaError("internal", "rtpengine's SDP has no address.");
  return { address, port };
}

type Codec = readonly [payload: number, name: string];

function farSdp(rtp: Endpoint, rtcp: Endpoint, codecs: readonly Codec[]): string {
  return join([
    ...head(rtp.address),
    `m=audio ${rtp.port} RTP/AVP ${codecs.map(([payload]) => payload).join(" ")}`,
    ...codecLines(...codecs),
    `a=rtcp:${rtcp.port} ${network(rtcp.address)}`,
    // rtpengine ignores the direction; `block media` controls who is heard.
    "a=sendrecv",
  ]);
}

function head(address: string): string[] {
  return ["v=0", `o=farline 1 1 ${network(address)}`, "s=-", `c=${network(address)}`, "t=0 0"];
}

function network(address: string): string {
  return `IN ${isIPv6(address) ? "IP6" : "IP4"} ${address}`;
}

function codecLines(...codecs: readonly Codec[]): string[] {
  return codecs.flatMap(([payload, name]) => [
    `a=rtpmap:${payload} ${name}/8000`,
    ...(name === "telephone-event" ? [`a=fmtp:${payload} 0-15`] : []),
  ]);
}

function join(lines: readonly string[]): string {
  return `${lines.join("\r\n")}\r\n`;
}
