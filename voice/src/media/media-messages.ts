/** Messages between the exchange and its media process. Each request gets one reply with its `id`. */
import type { Language } from "@farline/contract/languages.ts";
import type { Address } from "../address.ts";
import type { CallCodec } from "../call-codec.ts";
import type { FullAt, LoadMetrics } from "./load/process-load.ts";
import type { HeardChange, LegStats, MediaErrorCode } from "./media-plane.ts";

/** Both ends included. RTP takes pairs from it: even port RTP, the odd one after it RTCP. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** Handed to the process as JSON in its one argument. */
export interface MediaProcessSettings {
  readonly mediaAddress: Address;
  readonly rtpAddress: Address;
  readonly webrtcPorts: PortRange | null;
  readonly rtpPorts: PortRange;
  readonly maxLegs: number;
  readonly fullAt: FullAt;
  readonly silenceMs: number;
  readonly farSilenceMs: number;
  readonly logLevel: string;
}

/** Every request with what it answers. */
export interface MediaOperations {
  openLeg: { request: { leg: string; offerSdp: string; wanted: CallCodec }; reply: { answerSdp: string; codec: CallCodec } };
  openRtp: { request: { leg: string }; reply: { sdp: string } };
  connectRtp: { request: { leg: string; remoteSdp: string }; reply: { sdp: string } };
  tone: { request: { leg: string; on: boolean }; reply: null };
  sendDigits: { request: { leg: string; digits: string }; reply: null };
  hold: { request: { leg: string; on: boolean }; reply: null };
  restart: { request: { leg: string; offerSdp: string }; reply: { answerSdp: string } };
  reofferMedia: { request: { leg: string }; reply: { offerSdp: string } };
  takeAnswer: { request: { leg: string; answerSdp: string }; reply: null };
  echo: { request: { leg: string }; reply: null };
  hearing: { request: { leg: string }; reply: { hearing: boolean } };
  stats: { request: { leg: string }; reply: LegStats };
  closeLeg: { request: { leg: string }; reply: LegStats | null };
  openAnnouncement: { request: { leg: string }; reply: { sdp: string } };
  connectAnnouncement: { request: { leg: string; remoteSdp: string }; reply: { sdp: string } };
  /** Answered when the code is read to the end, or the leg is over. */
  readCode: { request: { leg: string; code: string; language: Language }; reply: null };
  closeAnnouncement: { request: { leg: string }; reply: null };
  usage: {
    request: Record<string, never>;
    reply: {
      legs: number;
      processId: number;
      memoryBytes: number;
      cpuMs: number;
      droppedPackets: number;
      refusedPackets: number;
    } & LoadMetrics;
  };
}

export type MediaOperation = keyof MediaOperations;

export type MediaRequest = {
  [Name in MediaOperation]: { readonly id: number; readonly operation: Name; readonly body: MediaOperations[Name]["request"] };
}[MediaOperation];

export type MediaReport =
  | { readonly kind: "ready" }
  | { readonly kind: "reply"; readonly id: number; readonly body: unknown }
  | { readonly kind: "error"; readonly id: number; readonly code: MediaErrorCode; readonly message: string }
  | { readonly kind: "hearing"; readonly leg: string; readonly hearing: HeardChange }
  | { readonly kind: "far_silent"; readonly leg: string; readonly silentMs: number }
  | { readonly kind: "failed"; readonly leg: string };
