import type { Call, EndReason } from "@farline/contract/calls.ts";
import type { CallMicrophone } from "../device/call-microphone.ts";
import type { PhoneCall } from "../phone-state.ts";
import type { CallService } from "./call-service.ts";

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
  lineIsReady(): boolean;
  /** Plays ringback; returns what stops it. */
  ring(): () => void;
  onPhase(phase: "ringing" | "active"): void;
  onChange(patch: Partial<PhoneCall>): void;
  onDigits(digits: string): void;
  onEnd(end: SessionEnd): void;
}
