import { isIP, isIPv6 } from "node:net";
import { type MediaDescription, parse, parsePayloads, type SessionDescription } from "sdp-transform";
import type { CallCodec } from "../../call-codec.ts";
import { MediaError } from "../media-plane.ts";
import type { Endpoint } from "../rtp/source-latch.ts";
import { farAddress, isUnspecified } from "./far-address.ts";

/** RFC 3551 table 4. */
const PAYLOAD_PCMU = 0;
const PAYLOAD_PCMA = 8;
/** Dynamic (RFC 7587 §4.1); the same as in browsers. */
const PAYLOAD_OPUS = 111;
/** Our payload types for RFC 4733 events, by clock; the one for Opus as in browsers. */
const LOCAL_EVENT_PAYLOADS: Readonly<Record<CallCodec, number>> = { g711: 101, opus: 110 };
const USUAL_EVENT = 101;
const MAX_SDP_BYTES = 16_384;
const LAST_PORT = 65_535;

const CODECS = ["PCMU", "PCMA", "opus"] as const;

type Direction = "sendrecv" | "sendonly" | "recvonly" | "inactive";
export type TrunkCodec = (typeof CODECS)[number];

/** The parts of a far end's SDP that we use. */
export interface TrunkSession {
  /** Null if the address is 0.0.0.0 (old-style hold): keep the known one. */
  readonly rtp: Endpoint | null;
  readonly rtcp: Endpoint | null;
  /** What we send. */
  readonly codec: TrunkCodec;
  readonly payloadType: number;
  /** What the far end may send at any time: the codec of each listed payload type (RFC 3264 §5.1, §6.1). */
  readonly received: ReadonlyMap<number, TrunkCodec>;
  /** Payload type of telephone-event; null if unsupported. */
  readonly eventPayloadType: number | null;
  /** From the far end's view. */
  readonly direction: Direction;
  /** Of the audio: an answer has the offer's (RFC 3264 §6). */
  readonly profile: string;
  /** The `m=` lines around the audio that we take, refused: an answer has one for each of the offer, in its order (RFC 3264 §6). */
  readonly refused: { readonly before: readonly string[]; readonly after: readonly string[] };
}

/** A far end that holds need not send, whether or not it promises music. */
export function holds({ direction }: TrunkSession): boolean {
  return direction !== "sendrecv";
}

interface LocalSession {
  readonly address: string;
  readonly port: number;
  readonly sessionId: number;
}

interface Format {
  readonly payload: number;
  /** For `a=rtpmap`. */
  readonly map: string;
  /** For `a=fmtp`. */
  readonly parameters?: string;
}

const MAPS: Readonly<Record<TrunkCodec, string>> = { PCMU: "PCMU/8000", PCMA: "PCMA/8000", opus: "opus/48000/2" };
/** Forward error correction in both directions (RFC 7587 §6.1), which browsers support. */
const OPUS_PARAMETERS = "useinbandfec=1";
/** Events use the audio's clock (RFC 4733 §2.1). */
const EVENT_RATES: Readonly<Record<CallCodec, number>> = { g711: 8_000, opus: 48_000 };

/** Our offer: Opus in an Opus call; PCMU and PCMA; events for each clock; sendrecv. */
export function trunkOffer(local: LocalSession, codec: CallCodec = "g711"): string {
  const g711 = [audioFormat("PCMU", PAYLOAD_PCMU), audioFormat("PCMA", PAYLOAD_PCMA)];
  const audio = codec === "opus" ? [audioFormat("opus", PAYLOAD_OPUS), ...g711] : g711;
  const clocks: readonly CallCodec[] = codec === "opus" ? ["opus", "g711"] : ["g711"];
  const formats = [...audio, ...clocks.map((clock) => eventFormat(LOCAL_EVENT_PAYLOADS[clock], clock))];
  return describe(local, formats, { direction: "sendrecv", profile: "RTP/AVP", refused: { before: [], after: [] } });
}

/** Our answer to the far end's SDP. */
export function trunkAnswer(local: LocalSession, far: TrunkSession): string {
  const direction: Record<Direction, Direction> = {
    sendrecv: "sendrecv",
    sendonly: "recvonly",
    recvonly: "sendonly",
    inactive: "inactive",
  };
  const audio = audioFormat(far.codec, far.payloadType);
  const event = far.eventPayloadType === null ? [] : [eventFormat(far.eventPayloadType, callCodecOf(far.codec))];
  return describe(local, [audio, ...event], { ...far, direction: direction[far.direction] });
}

export function callCodecOf(codec: TrunkCodec): CallCodec {
  return codec === "opus" ? "opus" : "g711";
}

function audioFormat(codec: TrunkCodec, payload: number): Format {
  return { payload, map: MAPS[codec], ...(codec === "opus" ? { parameters: OPUS_PARAMETERS } : {}) };
}

function eventFormat(payload: number, codec: CallCodec): Format {
  return { payload, map: `telephone-event/${EVENT_RATES[codec]}`, parameters: "0-15" };
}

function describe(
  local: LocalSession,
  formats: readonly Format[],
  { direction, profile, refused: { before, after } }: Pick<TrunkSession, "direction" | "profile" | "refused">,
): string {
  const net = `IN ${isIPv6(local.address) ? "IP6" : "IP4"} ${local.address}`;
  return [
    "v=0",
    // The dialog that sends it sets the version.
    `o=farline ${local.sessionId} 1 ${net}`,
    "s=-",
    `c=${net}`,
    "t=0 0",
    ...before,
    `m=audio ${local.port} ${profile} ${formats.map(({ payload }) => payload).join(" ")}`,
    ...formats.flatMap(({ payload, map, parameters }) => [
      `a=rtpmap:${payload} ${map}`,
      ...(parameters === undefined ? [] : [`a=fmtp:${payload} ${parameters}`]),
    ]),
    "a=ptime:20",
    `a=rtcp:${local.port + 1}`,
    `a=${direction}`,
    ...after,
    "",
  ].join("\r\n");
}

/**
 * @param localAddress where our RTP is bound
 * @param codec the call's codec. Opus is preferred in an Opus call, because it passes unchanged, and refused in a G.711 call.
 * @throws MediaError `bad_sdp` if there is no usable audio or address
 */
export async function readTrunkSdp(sdp: string, localAddress: string, codec: CallCodec = "g711"): Promise<TrunkSession> {
  if (sdp.length > MAX_SDP_BYTES) throw new MediaError("bad_sdp", "The far end's SDP is too long.");
  // One space is enough, and of several ports we use one.
  const plain = sdp.replace(/^m=.*/gm, (line) => line.replace(/ +/g, " ").replace(/^(m=\S+ \d+)\/\d+ /, "$1 "));
  let session: SessionDescription;
  try {
    session = parse(plain);
  } catch (error) {
    throw new MediaError("bad_sdp", `The far end's SDP cannot be read: ${(error as Error).message}`);
  }
  const index = session.media?.findIndex(isPlainAudio) ?? -1;
  const media = session.media?.[index];
  if (media === undefined) throw new MediaError("bad_sdp", "The far end's SDP has no plain RTP audio.");
  const received = readAudio(media, codec);
  const formats = [...received];
  const preferred = formats.find(([, listed]) => callCodecOf(listed) === codec) ?? formats[0];
  if (preferred === undefined) throw new MediaError("bad_sdp", "The far end's SDP has no codec of the call.");
  const [port, rtcpPort] = [Number(media.port), Number(media.rtcp?.port)];
  if (!isPort(port)) throw new MediaError("bad_sdp", "The far end's SDP has no valid port.");
  const address = await farAddress((media.connection ?? session.connection)?.ip ?? "", localAddress);
  const unspecified = isUnspecified(address);
  const direction = media.direction ?? session.direction ?? "sendrecv";
  return {
    codec: preferred[1],
    payloadType: preferred[0],
    received,
    rtp: unspecified ? null : { address, port },
    rtcp: unspecified
      ? null
      : {
          address: await reportAddress(media.rtcp?.address, address, localAddress),
          port: isPort(rtcpPort) ? rtcpPort : rtcpPortOf(port),
        },
    eventPayloadType: findEvent(media, EVENT_RATES[callCodecOf(preferred[1])]),
    direction: unspecified ? "inactive" : direction,
    profile: media.protocol,
    refused: refusedLines(plain, index),
  };
}

/** Where reports go: the address in `a=rtcp` (RFC 3605 §2.1) if we send audio to such a one, otherwise that of the audio. */
async function reportAddress(named: string | undefined, audio: string, localAddress: string): Promise<string> {
  if (named === undefined || isIP(named) === 0) return audio;
  const address = await farAddress(named, localAddress).catch(() => audio);
  return isUnspecified(address) ? audio : address;
}

/** RTP's neighbour (RFC 3550 §11); RTP's own for the last port that there is. */
export function rtcpPortOf(rtpPort: number): number {
  return Math.min(rtpPort + 1, LAST_PORT);
}

/** Node throws where a packet is sent to any other, which would end the media process with all of its calls. */
function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port <= LAST_PORT;
}

function isPlainAudio({ type, port, protocol }: MediaDescription): boolean {
  return type === "audio" && port > 0 && /^RTP\/AVPF?$/.test(protocol);
}

function refusedLines(sdp: string, index: number): TrunkSession["refused"] {
  const lines = sdp.split(/[\r\n]+/).flatMap((line) => {
    const [type, , ...rest] = line.trimEnd().split(" ");
    return type?.startsWith("m=") === true ? [[type, 0, ...rest].join(" ")] : [];
  });
  return { before: lines.slice(0, index), after: lines.slice(index + 1) };
}

type AudioMedia = { payloads?: string } & Pick<MediaDescription, "rtp">;

/** sdp-transform turns numeric names into numbers. */
function nameOf({ codec }: { codec: unknown }): string {
  return String(codec).toLowerCase();
}

/** The supported payloads, in the far end's order of preference. */
function readAudio(media: AudioMedia, call: CallCodec): Map<number, TrunkCodec> {
  const supported = new Map<number, TrunkCodec>();
  for (const payload of listPayloads(media)) {
    const mapped = media.rtp.find((each) => each.payload === payload);
    const map =
      mapped === undefined
        ? { [PAYLOAD_PCMU]: MAPS.PCMU, [PAYLOAD_PCMA]: MAPS.PCMA }[payload]
        : `${nameOf(mapped)}/${mapped.rate ?? 8_000}`;
    const codec = CODECS.find((known) => (call === "opus" || callCodecOf(known) === "g711") && isSameMap(map, MAPS[known]));
    if (codec !== undefined) supported.set(payload, codec);
  }
  return supported;
}

/** Compares name and clock rate, case-insensitively. The channel count of Opus has no meaning (RFC 7587 §7). */
function isSameMap(map: string | undefined, known: string): boolean {
  const [name, rate] = known.toLowerCase().split("/");
  return map?.toLowerCase() === `${name}/${rate}`;
}

function findEvent(media: AudioMedia, rate: number): number | null {
  const listed = listPayloads(media);
  const event = media.rtp.find(
    (each) => nameOf(each) === "telephone-event" && each.rate === rate && listed.includes(each.payload),
  );
  if (event !== undefined) return event.payload;
  // What carriers that leave the map out mean.
  const isImplied =
    rate === EVENT_RATES.g711 && listed.includes(USUAL_EVENT) && !media.rtp.some(({ payload }) => payload === USUAL_EVENT);
  return isImplied ? USUAL_EVENT : null;
}

function listPayloads(media: AudioMedia): number[] {
  return parsePayloads(media.payloads ?? "").filter((payload) => Number.isInteger(payload) && payload >= 0 && payload <= 127);
}
