import type { CallPrice } from "@farline/contract/rates.ts";
import type { Call, EndReason } from "@farline/contract/calls.ts";
import { type AudioDevices, noDevices } from "./device/audio-devices.ts";
import type { MicrophoneCondition, MicrophonePermission } from "./device/microphone.ts";
import type { QualityBand } from "./quality/call-quality.ts";
import type { CallObstacle } from "./call-obstacle.ts";
import type { EchoTest } from "./echo/echo-test.ts";
import type { PhoneError, PhoneErrorCode } from "./phone-error.ts";

/** The call's phase as the caller sees it. `ended` is shown for a moment, then the phone is `idle` again. */
export type PhoneStatus = "idle" | "initializing" | "ringing" | "active" | "ended";

/** The connection to the voice provider, with or without a call. */
export type LineStatus = "off" | "connecting" | "ready" | "reconnecting" | "failed";

/** The caller's request: a number is dialled only with its price, so that the two cannot differ. */
export interface DialRequest {
  /** The service's price of the number, as the caller was shown it. `price.number` is dialled, and never for more. */
  price: CallPrice;
  /** Name of the called person, if known. */
  name?: string | null;
  /** Keypad digits sent automatically after the answer: 0-9, *, #, and "," for a pause of 2 s, for example ",,123#". */
  extension?: string;
}

/** This phone's only call. */
export interface PhoneCall {
  /** The service's id; null until the service has authorised the call. */
  callId: string | null;
  /** E.164 once the service has responded; before that as dialled. */
  number: string;
  countryCode: string | null;
  name: string | null;
  /** The service's latest state of the call: rate, increment, hold and finally the charge. */
  record: Call | null;
  /** Whole seconds since the answer; 0 before it. */
  elapsedSeconds: number;
  /** Whole seconds until the held credit is used up; null before the answer. */
  secondsLeft: number | null;
  /** 60 from 60 seconds left, 15 from 15 seconds left. */
  creditWarning: 60 | 15 | null;
  muted: boolean;
  /** `waiting`: it is slow to open, or the browser asks. `gone` only if no other microphone could be opened. */
  microphone: MicrophoneCondition | "waiting";
  held: boolean;
  /** Nothing has arrived from the other side for some seconds. */
  nothingHeard: boolean;
  /** Keypad digits accepted during this call, newest last. */
  digits: string;
  quality: QualityBand | null;
  /** Mean opinion score of the last 2 s, 1 to 5; null when unknown. */
  mos: number | null;
  /** The connection was lost during the call and is being restored, or the call is being rejoined after a reload. */
  reconnecting: boolean;
  /** After a reload, for some seconds once the call goes on: how long the other side waited. Else null. */
  backAfterSeconds: number | null;
  /** Why it ended: the service's reason if known, else the line's. */
  endReason: EndReason | null;
}

export interface PhoneState {
  status: PhoneStatus;
  /** Not null from dialling until the phone is idle again. */
  call: PhoneCall | null;
  line: LineStatus;
  /** Why the line failed, or why the service does not open it. */
  lineError: PhoneError | null;
  /** Why the last attempt to call failed; the next attempt clears it. */
  error: PhoneError | null;
  /** The page's last call after its end, with the final cost once the service has it. */
  lastCall: PhoneCall | null;
  /**
   * A running call that this tab was in before a reload: `rejoin()` resumes it, `declineRejoin()` hangs it up. It becomes
   * `lastCall` when it ends. While it is set, `dial` does nothing.
   */
  rejoinable: Call | null;
  /** Until when the provider keeps `rejoinable` (`serviceNow`). */
  keptUntil: number;
  /**
   * This customer's running call in another tab or on another device. `moveHere()` takes it over, `hangUpElsewhere()` ends it; `dial`
   * does nothing.
   */
  elsewhere: Call | null;
  /** The SDK's id of `elsewhere`; null if it cannot be moved here. */
  movable: string | null;
  /** Microphones and speakers, and the chosen ones. */
  devices: AudioDevices;
  microphonePermission: MicrophonePermission;
  /** Why no call can work in this page; null also until the page was checked. */
  obstacle: CallObstacle | null;
  /** The browser has paused the sound of the call or the test; the next tap or key resumes it. */
  soundPaused: boolean;
  /** The free echo test, from its start until it is dismissed. */
  echoTest: EchoTest | null;
}

export const idlePhone: PhoneState = {
  status: "idle",
  call: null,
  line: "off",
  lineError: null,
  error: null,
  lastCall: null,
  rejoinable: null,
  keptUntil: 0,
  elsewhere: null,
  movable: null,
  devices: noDevices,
  microphonePermission: "unknown",
  obstacle: null,
  soundPaused: false,
  echoTest: null,
};

/** A requested call about which nothing else is known yet. */
export function newPhoneCall(of: Pick<PhoneCall, "number" | "countryCode" | "name">): PhoneCall {
  return {
    callId: null,
    ...of,
    record: null,
    elapsedSeconds: 0,
    secondsLeft: null,
    creditWarning: null,
    muted: false,
    microphone: "open",
    held: false,
    nothingHeard: false,
    digits: "",
    quality: null,
    mos: null,
    reconnecting: false,
    backAfterSeconds: null,
    endReason: null,
  };
}

/** True from dialling until the call is over, while the page must not be taken from the caller. */
export function isCallOpen(state: PhoneState): boolean {
  return state.status === "initializing" || state.status === "ringing" || state.status === "active";
}

/** Why the caller could not be heard, as far as the browser reports it before a microphone is opened; null if unknown. */
export function microphoneProblem({ devices, microphonePermission }: PhoneState): PhoneErrorCode | null {
  if (microphonePermission === "denied") return "microphone_denied";
  return devices.hasMicrophone ? null : "microphone_missing";
}

/** Why a call would fail, as far as that is known before it is tried. */
export function knownProblem(state: PhoneState): PhoneErrorCode | null {
  return state.obstacle === null ? microphoneProblem(state) : "cannot_call";
}

/** The screen state for a requested call. */
export function phoneCallOf({ price, name = null }: DialRequest): PhoneCall {
  return newPhoneCall({ number: price.number, countryCode: price.country_code, name });
}

/** The screen state for a call that the service knows. */
export function callOf(record: Call, name: string | null): PhoneCall {
  return {
    ...newPhoneCall({
      number: record.destination_number,
      countryCode: record.destination_country,
      name: record.contact_name ?? name,
    }),
    callId: record.id,
    record,
  };
}
