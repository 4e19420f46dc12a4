import { parse, type MediaDescription } from "sdp-transform";
import { isIPv4 } from "node:net";
import type { Codec } from "./g711.ts";

/** The subset of SDP (RFC 8866) and offer/answer (RFC 3264) that a telephone network needs. */

type Direction = "sendrecv" | "sendonly" | "recvonly" | "inactive";

/** The relevant parts of an offer. */
export interface RemoteAudio {
  host: string;
  port: number;
  codec: Codec;
  payloadType: number;
  /** Whether PCMA is among the formats. */
  offersAlaw: boolean;
  /** Payload type of telephone-event/8000; null if not offered. */
  eventPayloadType: number | null;
  /** Our direction, the mirror of the caller's. */
  direction: Direction;
  /** All media lines of the offer, because the answer must repeat them. */
  media: readonly { chosen: boolean; type: string; protocol: string; formats: string }[];
}

/** RFC 3551 table 4. */
export const STATIC_CODECS: Readonly<Record<number, Codec>> = { 0: "PCMU", 8: "PCMA" };
const MIRROR: Readonly<Record<Direction, Direction>> = {
  sendrecv: "sendrecv",
  sendonly: "recvonly",
  recvonly: "sendonly",
  inactive: "inactive",
};
const MAX_MEDIA = 8;

/** Parses an offer; null without G.711 audio over plain RTP and IPv4, in which case the call is rejected with 488. */
export function readOffer(sdp: string): RemoteAudio | null {
  const session = parse(sdp);
  if (!Array.isArray(session.media) || session.media.length === 0 || session.media.length > MAX_MEDIA) return null;
  const audio = session.media.find((media) => media.type === "audio" && media.protocol === "RTP/AVP" && media.port > 0);
  if (!audio) return null;
  const host = audio.connection?.ip ?? session.connection?.ip ?? "";
  const codec = chooseCodec(audio);
  if (!codec || !isIPv4(host) || !Number.isInteger(audio.port) || audio.port > 65_535) return null;
  const offered = audio.direction ?? session.direction ?? "sendrecv";
  const formats = payloadTypes(audio);
  const events = audio.rtp.find(
    (map) => /^telephone-event$/i.test(map.codec) && map.rate === 8000 && formats.includes(map.payload),
  );
  const oldStyleHold = host === "0.0.0.0";
  return {
    host,
    port: audio.port,
    ...codec,
    offersAlaw: formats.includes(8),
    eventPayloadType: events?.payload ?? null,
    direction: oldStyleHold ? "inactive" : (MIRROR[offered] ?? "sendrecv"),
    media: session.media.map((media) => ({
      chosen: media === audio,
      type: media.type,
      protocol: media.protocol,
      formats: payloadTypes(media).join(" ") || "0",
    })),
  };
}

/** Builds the answer to an offer. `version` must increase by one whenever the answer changes. */
export function writeAnswer(local: { id: number; version: number; host: string; port: number }, remote: RemoteAudio): string {
  const lines = ["v=0", `o=network ${local.id} ${local.version} IN IP4 ${local.host}`, "s=-", `c=IN IP4 ${local.host}`, "t=0 0"];
  for (const media of remote.media)
    lines.push(...(media.chosen ? audioLines(local.port, remote) : [`m=${media.type} 0 ${media.protocol} ${media.formats}`]));
  return `${lines.join("\r\n")}\r\n`;
}

function audioLines(port: number, remote: RemoteAudio): string[] {
  const events = remote.eventPayloadType;
  return [
    `m=audio ${port} RTP/AVP ${remote.payloadType}${events === null ? "" : ` ${events}`}`,
    `a=rtpmap:${remote.payloadType} ${remote.codec}/8000`,
    ...(events === null ? [] : [`a=rtpmap:${events} telephone-event/8000`, `a=fmtp:${events} 0-15`]),
    "a=ptime:20",
    `a=${remote.direction}`,
  ];
}

function chooseCodec(audio: MediaDescription): { codec: Codec; payloadType: number } | null {
  for (const payloadType of payloadTypes(audio)) {
    const map = audio.rtp.find((entry) => entry.payload === payloadType);
    const named = map && map.rate === 8000 ? /^PCM[UA]$/i.exec(map.codec)?.[0].toUpperCase() : undefined;
    const codec = (named as Codec | undefined) ?? (map ? undefined : STATIC_CODECS[payloadType]);
    if (codec) return { codec, payloadType };
  }
  return null;
}

/** The formats of a media line. For a single format the library returns a number, contrary to its types. */
function payloadTypes(media: MediaDescription): number[] {
  const listed = (media.payloads ?? "") as string | number;
  return String(listed)
    .split(/\s+/)
    .filter((text) => /^\d{1,3}$/.test(text))
    .map(Number);
}
