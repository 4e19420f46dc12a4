import type { TrunkConfig } from "../../src/sip/trunk.ts";
import { sdp, type Step } from "./carrier-script.ts";

/** A carrier's behaviour in one call, which SIPp plays. */
export interface CarrierScenario {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Cause, source and SIP status of the far leg's end, after "answered" if it was. */
  readonly reported: string;
  /** Port, codec and direction of the far end's sound at the end of an answered call. Default: `SOUND`. */
  readonly sound?: string;
  readonly trunk?: Pick<Partial<TrunkConfig>, "numberFormat" | "techPrefix" | "sessionTimers" | "username" | "password">;
  /** When the caller hangs up. */
  readonly hangUp?: "ringing" | "answered";
  /** Takes the carrier more than ten seconds, because a session timer has at least 90 (RFC 4028 §4). */
  readonly isSlow?: true;
}

export const SOUND = "40000 PCMU sendrecv";

export const invite: Step = { recv: "INVITE" };
export const ring: Step = { reply: "180 Ringing" };
export const answer: Step = { reply: "200 OK", sdp: sdp() };
export const ack: Step = { recv: "ACK" };
/** Before the sound is connected the end of a call counts as a rejection. */
export const bye: readonly Step[] = [{ connected: true }, { send: "BYE", cseq: 9 }, { answered: 200 }];
export const ourBye: readonly Step[] = [{ recv: "BYE" }, { reply: "200 OK" }];
/** Sends early media, answers without SDP and waits for our BYE. */
export const answeringCarrier: readonly Step[] = [
  invite,
  { reply: "183 Session Progress", sdp: sdp() },
  { reply: "200 OK" },
  ack,
  ...ourBye,
];
/** Rings after a while, and expects CANCEL only then. */
export const ringingCarrier: readonly Step[] = [
  invite,
  { pauseMs: 300 },
  ring,
  { recv: "CANCEL" },
  { reply: "200 OK" },
  { reply: "487 Request Terminated", to: "1 INVITE" },
  ack,
];
export const completed = "answered normal_clearing callee 200";
export const hungUp = "answered normal_clearing caller 200";
export const cancelled = "originator_cancel caller 487";
/** The exchange hangs up an answer that it cannot use. */
export const unusable = "unspecified callee 488";
