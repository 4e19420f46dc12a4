/** Messages between the exchange and a media process. Each request gets one reply with the same `id`. */
import type { Language } from "@farline/contract/languages.ts";
import type { Address } from "../address.ts";
import type { CallCodec } from "../call-codec.ts";
import type { FullAt, LoadMetrics } from "./load/process-load.ts";
import type { HeardChange, LegStats, MediaErrorCode } from "./media-plane.ts";

/** Inclusive. RTP uses pairs: an even port for RTP and the next for RTCP. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/** Passed to the process as its JSON argument. */
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

/** Request and reply of each operation. */
export interface MediaOperations {
  openLeg: { request: { leg: string; offerSdp: string; wanted: CallCodec }; reply: { answerSdp: string; codec: CallCodec } };
  openRtp: { request: { leg: string }; reply: { sdp: string } };
  connectRtp: { request: { leg: string; remoteSdp: string; trunkAddresses: readonly string[] }; reply: { sdp: string } };
  tone: { request: { leg: string; on: boolean }; reply: null };
  sendDigits: { request: { leg: string; digits: string }; reply: null };
  hold: { request: { leg: string; on: boolean }; reply: null };
  restart: { request: { leg: string; offerSdp: string }; reply: { answerSdp: string } };
  reofferMedia: { request: { leg: string }; reply: { offerSdp: string } };
  acceptAnswer: { request: { leg: string; answerSdp: string }; reply: null };
  echo: { request: { leg: string }; reply: null };
  isHeard: { request: { leg: string }; reply: { heard: boolean } };
  stats: { request: { leg: string }; reply: LegStats };
  closeLeg: { request: { leg: string }; reply: LegStats | null };
  openAnnouncement: { request: { leg: string }; reply: { sdp: string } };
  connectAnnouncement: { request: { leg: string; remoteSdp: string; trunkAddresses: readonly string[] }; reply: { sdp: string } };
  /** The reply comes when the code is read or the leg is over. */
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
  | { readonly kind: "heard_change"; readonly leg: string; readonly change: HeardChange }
  | { readonly kind: "far_silent"; readonly leg: string; readonly silentMs: number }
  | { readonly kind: "failed"; readonly leg: string };
