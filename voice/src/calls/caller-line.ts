import type { CallLeg, LegIds } from "./call-leg.ts";
import type { CallEnd } from "./hangup-causes.ts";

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
  /** The caller's media is lost: sends our offer of new media; `Call.acceptMediaAnswer` takes the answer. */
  reoffer(offerSdp: string, leg: CallLeg): void;
  /** Sent at most once, and the last. */
  ended(end: CallEnd): void;
}
