import type { CallLeg, LegIds } from "./call-leg.ts";
import type { CallEnd } from "./hangup-causes.ts";

/** Signalling to the caller's browser, independent of its protocol. No method may throw. */
export interface CallerLine {
  /** The caller's leg is parked. */
  ringing(leg: CallLeg): void;
  farRinging(leg: CallLeg): void;
  /** Our answer to the browser's offer. */
  media(answerSdp: string): void;
  answered(ids: LegIds): void;
  /** Repeats the messages that the browser may have missed while it was disconnected. */
  repeat(): void;
  /** Offers new media after the caller's was lost, and says what the far end does. Pass the answer to `Call.acceptMediaAnswer`. */
  reoffer(offerSdp: string, leg: CallLeg): void;
  /** Called at most once, last. */
  ended(end: CallEnd): void;
}
