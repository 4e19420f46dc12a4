import type { CallService } from "./call-service.ts";
import type { CallMicrophone, OpenMicrophone } from "../device/microphone.ts";
import type { RemoteAudio } from "../device/remote-audio.ts";
import type { VoiceLine } from "../line/voice-line.ts";
import type { PhoneStore } from "../phone-store.ts";
import type { TabLock } from "../tab-lock.ts";
import type { UnfinishedHangups } from "./unfinished-hangups.ts";
import type { Call, EndReason } from "@farline/contract/calls.ts";
import type { PhoneCall } from "../phone-state.ts";

export interface CallControllerDeps {
  service: CallService;
  line: VoiceLine;
  store: PhoneStore;
  tabLock: TabLock;
  unfinished: UnfinishedHangups;
  openMicrophone: OpenMicrophone;
  /** Whether there is a microphone, and the browser opens it without asking the caller. */
  microphoneIsReady(): boolean;
  wantedMicrophone(): string | null;
  audio(): RemoteAudio;
  /** Called when the first microphone opens: device names are available from then on. */
  onMicrophone(): void;
  /** Called when an attempt to call failed, or the call has moved: there may be a call elsewhere. */
  onFailed(): void;
}

/** `dialling`: the exchange has the leg, and will say when the far phone rings. */
export type SessionPhase = "setup" | "dialling" | "ringing" | "active" | "over";

/** How a call ended; reported once. */
export interface SessionEnd {
  reason: EndReason;
  /**
   * `caller`: ended here, so the service must be told. `line`: the provider ended it. `service`: it is settled already. `elsewhere`: it
   * goes on in another page.
   */
  endedBy: "caller" | "line" | "service" | "elsewhere";
  /** The last phase before the end. */
  phase: Exclude<SessionPhase, "over">;
}

export interface SessionDeps {
  service: CallService;
  /** The call as the service authorised it, or in its current state. */
  record: Call;
  /** The SDK's id of the call. */
  lineId: string;
  microphone: CallMicrophone;
  /** Digits to send after the answer. */
  extension: string;
  /** Whether the caller had muted themselves before the page was reloaded. Default: no. */
  muted?: boolean;
  lineIsReady(): boolean;
  /** Plays ringback; returns what stops it. */
  ring(): () => void;
  onPhase(phase: "ringing" | "active"): void;
  onChange(patch: Partial<PhoneCall>): void;
  onDigits(digits: string): void;
  onEnd(end: SessionEnd): void;
}
