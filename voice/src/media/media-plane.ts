import type { Language } from "@farline/contract/languages.ts";
import type { CallCodec } from "../call-codec.ts";
import type { LoadMetrics } from "./load/process-load.ts";

/**
 * The interface of the media plane. Its implementations run WebRTC and RTP outside the exchange's process, so that handshakes do not
 * delay signalling and a crash does not end the exchange: in our media processes (`create-media-plane.ts`), or in a pool of rtpengine
 * instances (`rtpengine/create-rtpengine-plane.ts`).
 */

/** After this long without packets a side is reported silent. */
export const DEFAULT_SILENCE_MS = 5_000;
/** The browser must answer our offer and connect within this time. */
export const OFFER_LIFE_MS = 20_000;
/** A browser reconnects when its page or network changes. More offers in one call are abuse. */
export const MAX_OFFERS = 100;

/**
 * The browser is heard, or has fallen silent. A silent browser may come back on the same or another transport. `hasSpoken`: audio has
 * arrived, not only checks, keys or reports, which a browser without a microphone sends too.
 */
export type HeardChange =
  | { readonly heard: true; readonly hasSpoken: boolean }
  | { readonly heard: false; readonly silentMs: number };

/** Counters of a received RTP stream. */
export interface StreamStats {
  readonly packets: number;
  readonly bytes: number;
  /** Packets missing by sequence number, less late arrivals. Null: unknown. */
  readonly lost: number | null;
  /** Interarrival jitter in milliseconds, RFC 3550 §6.4.1. Null: unknown. */
  readonly jitterMs: number | null;
}

/** Counters of a sent RTP stream; null: unknown. */
interface SentStats {
  readonly packets: number | null;
  readonly bytes: number | null;
}

export interface LegStats {
  readonly fromBrowser: StreamStats;
  readonly toBrowser: SentStats;
  readonly fromFar: StreamStats;
  readonly toFar: SentStats;
  /** RTCP receiver reports of each side about our packets; null before the first. */
  readonly browserReport: { readonly lost: number; readonly roundTripMs: number | null } | null;
  readonly farReport: { readonly lost: number; readonly roundTripMs: number | null } | null;
}

/** Of one media process. */
export interface MediaWorkerStats extends LoadMetrics {
  readonly legs: number;
  /** Null while the process is being restarted. */
  readonly processId: number | null;
  /** How often the process was restarted after it died. */
  readonly restarts: number;
  /** When the process died last; null if it never did. */
  readonly diedAt: Date | null;
  /** Resident memory and CPU time used; 0 while the process is being restarted. */
  readonly memoryBytes: number;
  readonly cpuMs: number;
  /** Packets dropped because the process delayed them by more than 100 ms. */
  readonly droppedPackets: number;
  /** Packets dropped by rate limits. */
  readonly refusedPackets: number;
}

const mediaErrorCodes = [
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

/** A request was refused, for example for its SDP, an unknown leg or lack of ports, or the process is being restarted. */
export class MediaError extends Error {
  readonly code: MediaErrorCode;

  constructor(code: MediaErrorCode, message: string) {
    super(message);
    this.name = "MediaError";
    this.code = code;
  }
}

/** The part of the media plane that calls use. */
export interface MediaSource {
  /**
   * Answers a browser's offer.
   * @param wanted default G.711; Opus is used only if browser and media plane support it
   * @param id the call's session, which the log lines name; default: a new one
   * @throws MediaError `bad_sdp`, `no_capacity`, `unavailable` or `timeout`
   */
  openLeg(offerSdp: string, wanted?: CallCodec, id?: string): Promise<BrowserLeg>;
  /** Opens the media of a call without a browser. @throws MediaError `no_capacity`, `unavailable`, `timeout`. */
  openAnnouncement(): Promise<Announcement>;
}

/** Of a media process or an rtpengine, from memory. */
export interface MediaHealth extends Readonly<Record<string, unknown>> {
  readonly up: boolean;
  /** Share of its time, 0 to 1; null where the instance does not say. */
  readonly busy: number | null;
  readonly died_at: string | null;
}

export interface MediaPlane extends MediaSource {
  /** For the health report: one record per process or instance. */
  health(): MediaHealth[];
  /** Ends all legs and media processes. */
  close(): Promise<void>;
}

/** The media of a call in which the exchange plays a message. After the end every method except `close` rejects. */
export interface Announcement {
  /** Our offer. */
  readonly sdp: string;
  /** Takes the far end's SDP, first or changed. Resolves to ours. @param trunkAddresses as for `connectRtp` */
  connect(remoteSdp: string, trunkAddresses?: readonly string[]): Promise<{ sdp: string }>;
  /** Reads a code aloud three times. Resolves when done. */
  readCode(code: string, language: Language): Promise<void>;
  /** Idempotent; never rejects. */
  close(): Promise<void>;
}

/** One browser's WebRTC transport, and RTP to the trunk. After the end every method rejects with MediaError. */
export interface BrowserLeg {
  readonly answerSdp: string;
  readonly codec: CallCodec;

  /** Opens RTP to the trunk and resolves to our offer: Opus in an Opus call; PCMU and PCMA; telephone-event; sendrecv. Idempotent. */
  openRtp(): Promise<{ sdp: string }>;

  /**
   * Takes the far end's SDP (of 183, 200 or re-INVITE), first or changed, and bridges both directions. Resolves to our SDP, which answers
   * a re-INVITE.
   * @param trunkAddresses may send audio besides the announced address
   * @throws MediaError `bad_sdp` for media that we cannot use; the session stays unchanged
   */
  connectRtp(remoteSdp: string, trunkAddresses?: readonly string[]): Promise<{ sdp: string }>;

  /**
   * Plays ringback to the browser until the far end is heard: 440 + 480 Hz, 2 s on, 4 s off (ITU-T E.180 supplement 2, North America).
   * Does nothing if it was heard already.
   */
  playRingback(): void;
  stopTone(): void;

  /**
   * Sends digits as RFC 4733 events, or as tones if the far end does not support events: 0-9 * # A-D, and "," for a pause of 2 s.
   * Resolves when the last one is sent. Rejects and sends nothing for other characters or more than 100 queued digits (`bad_digits`),
   * or without a far end (`no_far_end`).
   */
  sendDigits(digits: string): Promise<void>;

  /** Mutes both directions; packets keep flowing. */
  hold(on: boolean): void;

  /** ICE restart: answers the browser's new offer. */
  restart(offerSdp: string): Promise<string>;

  /**
   * Offers the browser a new transport after a page reload or a change of network. The old one stays in use until the new one is
   * connected. A second offer withdraws the first.
   */
  reofferMedia(): Promise<{ offerSdp: string }>;
  /** Takes the browser's answer to the last offer. @throws MediaError `bad_sdp`, `no_offer` */
  acceptAnswer(answerSdp: string): Promise<void>;

  /** From now on plays the browser's audio back to it. */
  echo(): void;

  /** Whether the browser is heard now, on a transport that it has not closed. */
  isHeard(): Promise<boolean>;
  /** Called as soon as the browser is first heard or connected, at its first audio, when it has been silent for some seconds or closed its transport, and when it is heard again. */
  onHeardChange(callback: (change: HeardChange) => void): void;

  /** Called every second with how long the far end has been silent, after some seconds of silence without a hold. */
  onFarSilent(callback: (silentMs: number) => void): void;

  /**
   * The leg failed: its media process or instance died, or the encryption of its only transport could not be set up. Called at most
   * once, never after `close()`; at once if the leg has failed already.
   */
  onEnded(callback: () => void): void;

  stats(): Promise<LegStats>;

  /** Frees ports and keys. Resolves to the final counters, or null if the media process died. Idempotent. */
  close(): Promise<LegStats | null>;
}
