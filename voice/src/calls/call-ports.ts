import type { Language } from "@farline/contract/languages.ts";
import type { CallCodec } from "../call-codec.ts";
import type { CallPrices, CallRoute } from "../call-route.ts";
import type { CallLeg, LegIds } from "./call-leg.ts";
import type { CallEnd, FarEnd } from "./hangup-causes.ts";

/** The signalling towards the caller's browser. Calls do not know its protocol; none of these may throw. */
export interface CallerLine {
  /** The caller's leg is there. */
  ringing(leg: CallLeg): void;
  /** The dialled phone rings. Sent at most once. */
  farRinging(leg: CallLeg): void;
  /** Our answer to the browser's offer. */
  media(answerSdp: string): void;
  answered(ids: LegIds): void;
  /** The line is back: repeats what it may have missed. */
  repeat(): void;
  /** The caller's media is lost: sends our offer of new media; `Call.takeMedia` takes the answer. */
  reoffer(offerSdp: string, leg: CallLeg): void;
  /** Sent at most once, and the last. */
  ended(end: CallEnd): void;
}

export interface DialFar {
  readonly to: string;
  readonly from: string;
  readonly sdp: string;
  /** The codec that `sdp` offers. */
  readonly codec: CallCodec;
  readonly ringTimeoutMs: number;
  readonly displayName?: string;
  /** Which trunks may carry the call for its price; absent: any. */
  readonly prices?: CallPrices;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Events of a dialled call, in order; `onEnd` comes exactly once and last. */
export interface FarEvents {
  onProgress(progress: { sdp: string | null }): void;
  /**
   * `from`: the number that the far end was shown, by the rule of the trunk that carries the call. `dialog`: what ends the far end after a
   * crash (`FarNetwork.endDialog`).
   */
  onAnswer(answer: { sdp: string; from: string; dialog: string }): void;
  onEnd(end: FarEnd): void;
  onRenegotiate(sdp: string): Promise<string>;
}

export interface FarCall {
  /** The trunks so far; final when `onEnd` comes. */
  readonly route: CallRoute;
  hangUp(reason?: string): Promise<void>;
}

/** The telephone network as calls see it. */
export interface FarNetwork {
  /** Whether every trunk for an E.164 number supports Opus. */
  takesOpus(to: string): boolean;
  dial(request: DialFar, events: FarEvents): FarCall;
  /** Hangs up a far end that an earlier process has answered. Resolves when it has confirmed; rejects if that cannot be. */
  endDialog(dialog: string): Promise<void>;
}

/** Counters of one direction of a media stream; null: unknown. */
export interface DirectionStats {
  readonly packets: number;
  readonly lost: number | null;
  readonly jitterMs: number | null;
}

export interface CallerMediaStats {
  readonly fromBrowser: DirectionStats;
  readonly toBrowser: { readonly packets: number | null };
  readonly fromTrunk: DirectionStats;
  readonly toTrunk: { readonly packets: number | null };
}

export type Hearing = { readonly heard: true } | { readonly heard: false; readonly silentMs: number };

/** The caller's media and its bridge to the far end. After the end every promise rejects. */
export interface CallerMedia {
  readonly answerSdp: string;
  readonly codec: CallCodec;
  openRtp(): Promise<{ sdp: string }>;
  connectRtp(remoteSdp: string): Promise<{ sdp: string }>;
  /** Until the far end is heard or the tone is stopped. */
  playRingback(): void;
  stopTone(): void;
  sendDigits(digits: string): Promise<void>;
  hold(on: boolean): void;
  restart(offerSdp: string): Promise<string>;
  /** Offers the browser a new transport for the same call; the old one serves until the new one is connected. */
  offerAgain(): Promise<{ offerSdp: string }>;
  /** The browser's answer to the last `offerAgain`. */
  takeAnswer(answerSdp: string): Promise<void>;
  /** Sends the caller's sound back to them, without a far end. */
  echo(): void;
  /** Whether the browser is heard right now. */
  hearing(): Promise<boolean>;
  /** Reports when the browser is heard for the first time, falls silent, and is heard again. */
  onHearing(callback: (hearing: Hearing) => void): void;
  /** Reports, again and again, that nothing has been heard of the far end for `silentMs`, unless it holds the call. */
  onFarSilent(callback: (silentMs: number) => void): void;
  onEnded(callback: (why: "failed") => void): void;
  close(): Promise<CallerMediaStats | null>;
}

/** The media of a call that the exchange makes itself, to say something. */
export interface AnnouncementMedia {
  readonly sdp: string;
  connect(remoteSdp: string): Promise<{ sdp: string }>;
  /** Resolves when the code is read to the end. */
  readCode(code: string, language: Language): Promise<void>;
  close(): Promise<void>;
}

export interface MediaSource {
  /** Answers a browser's offer, with the wanted codec if the browser has it; a rejection whose `code` is "bad_sdp" is the offer's fault. */
  openLeg(offerSdp: string, wanted: CallCodec): Promise<CallerMedia>;
  openAnnouncement(): Promise<AnnouncementMedia>;
}

/** Something happened to a leg. Emitted once each; `call.hangup` is a leg's last but for `call.cost`. */
export type CallEvent =
  | { readonly type: "call.initiated" | "call.answered" | "call.bridged"; readonly leg: CallLeg; readonly at: Date }
  | { readonly type: "call.hangup"; readonly leg: CallLeg; readonly at: Date; readonly stats: CallerMediaStats | null }
  /** `cost`: what its trunk takes; null where nobody has said it. */
  | { readonly type: "call.cost"; readonly leg: CallLeg; readonly at: Date };
