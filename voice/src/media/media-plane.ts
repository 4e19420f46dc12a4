import type { Language } from "@farline/contract/languages.ts";
import type { CallCodec } from "../call-codec.ts";
import type { LoadMetrics } from "./load/process-load.ts";

/**
 * The media plane's interface. Its implementations keep WebRTC and RTP out of the exchange's process, so that a handshake never delays
 * signalling and a crash there never ends the exchange: in media processes of our own (`create-media-plane.ts`), or in a pool of
 * rtpengines (`rtpengine/create-rtpengine-plane.ts`).
 */

/** Whether the browser is heard. One that has fallen silent may come back, on the same transport or on another one. */
export type HeardChange = { readonly heard: true } | { readonly heard: false; readonly silentMs: number };

/** Counters of one direction of one RTP stream, since it began. */
export interface StreamStats {
  readonly packets: number;
  readonly bytes: number;
  /** Packets missing by sequence number; late arrivals are subtracted again, so never negative. Null: unknown. */
  readonly lost: number | null;
  /** Interarrival jitter in milliseconds, RFC 3550 §6.4.1. Null: unknown. */
  readonly jitterMs: number | null;
}

/** What was sent; null: unknown. */
export interface SentStats {
  readonly packets: number | null;
  readonly bytes: number | null;
}

/** A zero record means that nothing has flowed yet. */
export interface LegStats {
  readonly fromBrowser: StreamStats;
  readonly toBrowser: SentStats;
  readonly fromTrunk: StreamStats;
  readonly toTrunk: SentStats;
  /** What the far ends reported about our packets (RTCP receiver reports): packets lost and round trip; null before the first report. */
  readonly browserReport: { readonly lost: number; readonly roundTripMs: number | null } | null;
  readonly trunkReport: { readonly lost: number; readonly roundTripMs: number | null } | null;
}

/** Of one media process. */
export interface MediaWorkerStats extends LoadMetrics {
  readonly legs: number;
  /** Of the media process; null while it is being restarted. */
  readonly processId: number | null;
  /** How often the media process was started after it died. */
  readonly restarts: number;
  /** Resident memory in bytes and CPU time used in milliseconds, of the media process; 0 while it is being restarted. */
  readonly memoryBytes: number;
  readonly cpuMs: number;
  /** Packets that the process kept waiting for more than 100 ms, and dropped. */
  readonly droppedPackets: number;
  /** Packets dropped unread, because more came from their source than a call has. */
  readonly refusedPackets: number;
}

export const mediaErrorCodes = [
  "bad_sdp",
  "bad_digits",
  "no_offer",
  "no_far_end",
  "no_such_leg",
  "no_capacity",
  "unavailable",
  "timeout",
  "internal",
] as const;
export type MediaErrorCode = (typeof mediaErrorCodes)[number];

/** The media refused what it was given (SDP it cannot parse or answer, unknown leg, no free port) or is being restarted. */
export class MediaError extends Error {
  readonly code: MediaErrorCode;

  constructor(code: MediaErrorCode, message: string) {
    super(message);
    this.name = "MediaError";
    this.code = code;
  }
}

/** The media as calls use it. */
export interface MediaSource {
  /**
   * Answers a browser's offer. Takes milliseconds when warm.
   * @param wanted G.711 unless told otherwise; Opus is taken only where browser and media plane have it
   * @throws MediaError `bad_sdp` (say 488), `no_capacity` or `unavailable` (say 503), `timeout`.
   */
  openLeg(offerSdp: string, wanted?: CallCodec): Promise<BrowserLeg>;
  /** Opens the media of a call without a browser. @throws MediaError `no_capacity`, `unavailable`, `timeout`. */
  openAnnouncement(): Promise<Announcement>;
}

export interface MediaPlane extends MediaSource {
  /** For the health report: one record for each process or instance. */
  health(): Promise<Record<string, unknown>[]>;
  /** Ends every leg, and the media processes. */
  close(): Promise<void>;
}

/** The media of a call that the exchange makes itself, to say something. Every method but `close` rejects after the end. */
export interface Announcement {
  /** Our offer. */
  readonly sdp: string;
  /** The far SDP is known, or changed: resolves to our matching one. */
  connect(remoteSdp: string): Promise<{ sdp: string }>;
  /** Reads a code aloud, three times; resolves when that is done. */
  readCode(code: string, language: Language): Promise<void>;
  /** Idempotent; never rejects. */
  close(): Promise<void>;
}

/** One browser's WebRTC leg, and the RTP leg towards the trunk once there is one. Every method rejects with MediaError after the end. */
export interface BrowserLeg {
  readonly answerSdp: string;
  /** Of both sides of the call. */
  readonly codec: CallCodec;

  /** Open the RTP socket towards the trunk. The SDP serves as offer: Opus, or PCMU and PCMA; telephone-event, sendrecv. Calling it again gives the same SDP. */
  openRtp(): Promise<{ sdp: string }>;

  /**
   * The far SDP is known (183, 200 or re-INVITE): bridge both ways. May be called again with a changed SDP (address, direction, codec).
   * Resolves to our matching SDP, which answers a re-INVITE. @throws MediaError `bad_sdp` for media that we cannot use; the
   * session stays as it was.
   */
  connectRtp(remoteSdp: string): Promise<{ sdp: string }>;

  /**
   * Ringback to the browser until the far end is heard: 440 + 480 Hz, 2 s on, 4 s off (ITU-T E.180 supplement 2, North America).
   * Nothing happens if it was heard already.
   */
  playRingback(): void;
  stopTone(): void;

  /**
   * Send digits to the trunk as RFC 4733 events, or as tones to a far end that takes no events: 0-9 * # A-D, "," is a pause of 2 s.
   * Resolves when the last one has been sent. At most 100 are queued; more, another character (`bad_digits`) or a call
   * without a far end yet (`no_far_end`) reject and send nothing.
   */
  sendDigits(digits: string): Promise<void>;

  /** Silence in both directions; packets keep flowing. */
  hold(on: boolean): void;

  /** ICE restart: the browser's new offer in, the answer out. The RTP side is untouched. */
  restart(offerSdp: string): Promise<string>;

  /**
   * Offers the browser a new transport, for a page that was loaded anew or a network that changed. The RTP side and the old
   * transport stay as they are until the new one is connected. A second offer takes the first one back.
   */
  reofferMedia(): Promise<{ offerSdp: string }>;
  /** The browser's answer to the last offer. @throws MediaError `bad_sdp`, `no_offer` when nothing is offered. */
  takeAnswer(answerSdp: string): Promise<void>;

  /** From now on the browser gets its own sound back. */
  echo(): void;

  /** Whether the browser is heard right now, on a transport that it has not closed. */
  hearing(): Promise<boolean>;
  /** Told when the browser is heard for the first time, has been silent for some seconds, sooner after its goodbye (never twice in a row), and is heard again. */
  onHeardChange(callback: (hearing: HeardChange) => void): void;

  /** Told every second for how long nothing has been heard of a far end that does not hold the call, once that is some seconds. */
  onFarSilent(callback: (silentMs: number) => void): void;

  /**
   * The leg failed: its media process or instance died, or the encryption of its only transport could not be set up. Called at most
   * once, never after `close()`; at once if the leg has failed already.
   */
  onEnded(callback: () => void): void;

  stats(): Promise<LegStats>;

  /** Frees ports and keys; resolves with the final counters (null when the media process is gone). Idempotent. */
  close(): Promise<LegStats | null>;
}
