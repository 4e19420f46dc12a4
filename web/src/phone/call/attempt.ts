import type { CallMicrophone } from "../device/call-microphone.ts";
import type { CallSession } from "./call-session.ts";
import type { DialledLeg } from "./dialled-leg.ts";

/** One attempt to call or to rejoin a call, from the click to the end. */
export interface Attempt {
  cancelled: boolean;
  session: CallSession | null;
  /** The leg that was dialled, until the session follows it. */
  leg: DialledLeg | null;
  microphone: CallMicrophone | null;
  releaseTab: (() => void) | null;
}

/** Thrown only internally, when the caller hung up before there was a call. */
export class AttemptCancelled extends Error {}
