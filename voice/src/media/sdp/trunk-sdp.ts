import { isIP, isIPv6 } from "node:net";
import { type MediaDescription, parse, parsePayloads, type SessionDescription } from "sdp-transform";
import { MediaError } from "../media-plane.ts";
import type { Endpoint } from "../rtp/source-latch.ts";
import { farAddress } from "./far-address.ts";

/** RFC 3551 table 4. */
const PAYLOAD_PCMU = 0;
const PAYLOAD_PCMA = 8;
/** What we ask the far end to use for RFC 4733 events. */
const OWN_EVENT_PAYLOAD = 101;
const MAX_SDP_BYTES = 16_384;

export type Direction = "sendrecv" | "sendonly" | "recvonly" | "inactive";
export type TrunkCodec = "PCMU" | "PCMA";

/** What we use of a far end's SDP. */
export interface TrunkSession {
  /** Null when it named no usable address (0.0.0.0, an old way to hold): keep the one known. */
  readonly rtp: Endpoint | null;
  readonly rtcp: Endpoint | null;
  readonly codec: TrunkCodec;
  readonly payloadType: number;
  /** Payload type of telephone-event, null when the far end does not take events. */
  readonly eventPayloadType: number | null;
  /** From the far end's side. */
  readonly direction: Direction;
}

export interface OwnSession {
  readonly address: string;
  readonly port: number;
  readonly sessionId: number;
  /** Raised by one with every changed description, RFC 3264 §8. */
  readonly version: number;
}

/** Our offer: both G.711 kinds and events, both ways. */
export function trunkOffer(own: OwnSession): string {
  return describe(own, [PAYLOAD_PCMU, PAYLOAD_PCMA], OWN_EVENT_PAYLOAD, "sendrecv");
}

/** Our side of an agreed session: answers an offer of the far end. */
export function trunkAnswer(own: OwnSession, far: TrunkSession): string {
  const direction: Record<Direction, Direction> = {
    sendrecv: "sendrecv",
    sendonly: "recvonly",
    recvonly: "sendonly",
    inactive: "inactive",
  };
  return describe(own, [far.payloadType], far.eventPayloadType, direction[far.direction]);
}

function describe(own: OwnSession, audio: number[], event: number | null, direction: Direction): string {
  const net = `IN ${isIPv6(own.address) ? "IP6" : "IP4"} ${own.address}`;
  const payloads = event === null ? audio : [...audio, event];
  return [
    "v=0",
    `o=farline ${own.sessionId} ${own.version} ${net}`,
    "s=-",
    `c=${net}`,
    "t=0 0",
    `m=audio ${own.port} RTP/AVP ${payloads.join(" ")}`,
    ...(audio.includes(PAYLOAD_PCMU) ? [`a=rtpmap:${PAYLOAD_PCMU} PCMU/8000`] : []),
    ...(audio.includes(PAYLOAD_PCMA) ? [`a=rtpmap:${PAYLOAD_PCMA} PCMA/8000`] : []),
    ...(event === null ? [] : [`a=rtpmap:${event} telephone-event/8000`, `a=fmtp:${event} 0-15`]),
    "a=ptime:20",
    `a=rtcp:${own.port + 1}`,
    `a=${direction}`,
    "",
  ].join("\r\n");
}

/** @param own where our RTP is bound. @throws MediaError `bad_sdp` when there is no audio we can carry, or its host name leads nowhere. */
export async function readTrunkSdp(sdp: string, own: string): Promise<TrunkSession> {
  if (sdp.length > MAX_SDP_BYTES) throw new MediaError("bad_sdp", "The far end's SDP is too long.");
  let session: SessionDescription;
  try {
    session = parse(sdp);
  } catch (error) {
    throw new MediaError("bad_sdp", `The far end's SDP cannot be read: ${(error as Error).message}`);
  }
  const media = session.media?.find((each) => each.type === "audio" && each.port > 0 && /^RTP\/AVPF?$/.test(each.protocol));
  if (media === undefined) throw new MediaError("bad_sdp", "The far end's SDP has no plain RTP audio.");
  const audio = chooseAudio(media);
  if (audio === null) throw new MediaError("bad_sdp", "The far end's SDP has neither PCMU nor PCMA.");
  if (media.port > 65_535) throw new MediaError("bad_sdp", "The far end's SDP has no valid port.");
  const address = await farAddress((media.connection ?? session.connection)?.ip ?? "", own);
  const unspecified = address === "0.0.0.0" || address === "::";
  const direction = media.direction ?? session.direction ?? "sendrecv";
  return {
    ...audio,
    rtp: unspecified ? null : { address, port: media.port },
    rtcp: unspecified
      ? null
      : {
          address: media.rtcp?.address && isIP(media.rtcp.address) !== 0 ? media.rtcp.address : address,
          port: media.rtcp?.port ?? media.port + 1,
        },
    eventPayloadType: findEvent(media),
    direction: unspecified ? "inactive" : direction,
  };
}

type AudioMedia = { payloads?: string } & Pick<MediaDescription, "rtp">;

/** The library makes numbers of names that look like some. */
function nameOf({ codec }: { codec: unknown }): string {
  return String(codec).toLowerCase();
}

/** The far end's preferred payload among those we support. */
function chooseAudio(media: AudioMedia): { codec: TrunkCodec; payloadType: number } | null {
  for (const payload of listPayloads(media)) {
    const mapped = media.rtp.find((each) => each.payload === payload);
    const codec =
      mapped === undefined ? { [PAYLOAD_PCMU]: "PCMU", [PAYLOAD_PCMA]: "PCMA" }[payload] : nameOf(mapped).toUpperCase();
    const rate = mapped?.rate ?? 8_000;
    if ((codec === "PCMU" || codec === "PCMA") && rate === 8_000) return { codec, payloadType: payload };
  }
  return null;
}

function findEvent(media: AudioMedia): number | null {
  const listed = listPayloads(media);
  const event = media.rtp.find(
    (each) => nameOf(each) === "telephone-event" && each.rate === 8_000 && listed.includes(each.payload),
  );
  return event?.payload ?? null;
}

function listPayloads(media: AudioMedia): number[] {
  return parsePayloads(media.payloads ?? "").filter((payload) => Number.isInteger(payload) && payload >= 0 && payload <= 127);
}
