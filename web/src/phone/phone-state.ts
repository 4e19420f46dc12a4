import type { Call, EndReason } from "@farline/contract/calls.ts";
import { noDevices, type AudioDevices } from "./device/audio-devices.ts";
import type { QualityBand } from "./call/call-quality.ts";
import type { EchoTest } from "./echo/echo-test.ts";
import type { PhoneError, PhoneErrorCode } from "./phone-error.ts";

/** The call as the caller sees it. `ended` is shown for a moment, then the phone is `idle` again. */
export type PhoneStatus = "idle" | "initializing" | "ringing" | "active" | "ended";

/** The connection to the voice provider, call or no call. */
export type LineStatus = "off" | "connecting" | "ready" | "reconnecting" | "failed";

/** What the caller asks for. `number` in any form the service understands. */
export interface DialRequest {
  number: string;
  /** The country chosen beside the number; the service works it out when null. */
  countryCode: string | null;
  /** Name of the person called, when known. */
  name?: string | null;
  /** Keypad digits sent by themselves after the answer: 0-9, *, #, and "," for a pause of 2 s, for example ",,123#". */
  extension?: string;
}

/** The one call of this phone. */
export interface PhoneCall {
  /** The service's id; null until the service has allowed the call. */
  callId: string | null;
  /** E.164 once the service answered; before that as it was dialled. */
  number: string;
  countryCode: string | null;
  name: string | null;
  /** The service's newest word on the call: rate, increment, hold and, in the end, the charge. */
  record: Call | null;
  /** Whole seconds since the answer; 0 before it. */
  elapsedSeconds: number;
  /** Whole seconds until the credit set aside is used up; null before the answer. */
  secondsLeft: number | null;
  /** 60 from 60 seconds left, 15 from 15 seconds left. */
  creditWarning: 60 | 15 | null;
  muted: boolean;
  held: boolean;
  /** Keypad digits accepted in this call, newest last. */
  digits: string;
  quality: QualityBand | null;
  /** Mean opinion score of the last 2 s, 1 to 5; null while nothing can be said. */
  mos: number | null;
  /** The connection dropped in mid-call and is being re-made, or the call is being taken up again after a reload. */
  reconnecting: boolean;
  /** Why it ended: the service's reason where known, else what the line told us. */
  endReason: EndReason | null;
}

export interface PhoneState {
  status: PhoneStatus;
  /** Not null from dialling until the phone is idle again. */
  call: PhoneCall | null;
  line: LineStatus;
  lineError: PhoneErrorCode | null;
  /** Why the last try to call failed; the next try clears it. */
  error: PhoneError | null;
  /** The last call of this page after its end, final cost included once the service has it. */
  lastCall: PhoneCall | null;
  /**
   * A running call that this tab was in before it was reloaded: `rejoin()` takes it up again, `declineRejoin()` hangs it
   * up. It goes away by itself when the call ends. While it is there `dial` does nothing.
   */
  rejoinable: Call | null;
  /** A running call of this customer in another tab or on another device. `hangUpElsewhere()` ends it; `dial` does nothing. */
  elsewhere: Call | null;
  /** Microphones and speakers, and which are chosen. */
  devices: AudioDevices;
  /** The free call to oneself, from its start until it is dismissed. */
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
  elsewhere: null,
  devices: noDevices,
  echoTest: null,
};

/** A call that was asked for and about which nothing else is known yet. */
export function newPhoneCall(request: DialRequest): PhoneCall {
  return {
    callId: null,
    number: request.number,
    countryCode: request.countryCode,
    name: request.name ?? null,
    record: null,
    elapsedSeconds: 0,
    secondsLeft: null,
    creditWarning: null,
    muted: false,
    held: false,
    digits: "",
    quality: null,
    mos: null,
    reconnecting: false,
    endReason: null,
  };
}

/** True from dialling until the call is over: the time in which the page must not be taken from the caller. */
export function isCallOpen(state: PhoneState): boolean {
  return state.status === "initializing" || state.status === "ringing" || state.status === "active";
}
