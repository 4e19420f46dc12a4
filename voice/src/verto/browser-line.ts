import { CALL_MOVED_CAUSE } from "@farline/contract/constants.ts";
import type { CallLeg, LegIds } from "../calls/call-leg.ts";
import type { CallerLine } from "../calls/caller-line.ts";
import type { CallEnd } from "../calls/hangup-causes.ts";
import type { SessionLine, VoiceSession } from "./voice-sessions.ts";

const NORMAL_CLEARING = 16;

/** The fields of `telnyx_rtc.bye` that reach the app, with FreeSWITCH's hang-up causes (Q.850). */
interface ByeCause {
  readonly cause: string;
  readonly causeCode: number;
  readonly sipCode: number;
  readonly sipReason: string;
}

const byStatus: Readonly<Record<number, readonly [string, number]>> = {
  404: ["UNALLOCATED_NUMBER", 1],
  410: ["NUMBER_CHANGED", 22],
  480: ["NO_ANSWER", 19],
  484: ["INVALID_NUMBER_FORMAT", 28],
  486: ["USER_BUSY", 17],
  487: ["ORIGINATOR_CANCEL", 487],
  488: ["INCOMPATIBLE_DESTINATION", 88],
  600: ["USER_BUSY", 17],
  604: ["UNALLOCATED_NUMBER", 1],
};

const byCause: Readonly<Record<CallEnd["cause"], readonly [string, number]>> = {
  normal_clearing: ["NORMAL_CLEARING", 16],
  time_limit: ["NORMAL_CLEARING", 16],
  originator_cancel: ["ORIGINATOR_CANCEL", 487],
  timeout: ["NO_ANSWER", 19],
  user_busy: ["USER_BUSY", 17],
  call_rejected: ["CALL_REJECTED", 21],
  not_found: ["UNALLOCATED_NUMBER", 1],
  no_answer: ["NO_USER_RESPONSE", 18],
  media_timeout: ["MEDIA_TIMEOUT", 604],
  unspecified: ["NORMAL_TEMPORARY_FAILURE", 41],
};

function wireIds(ids: LegIds): Record<string, string> {
  return { telnyx_call_control_id: ids.controlId, telnyx_session_id: ids.sessionId, telnyx_leg_id: ids.legId };
}

function ringingParams(leg: CallLeg): Record<string, unknown> {
  return {
    callee_id_name: "Outbound Call",
    callee_id_number: leg.to,
    caller_id_name: leg.callerName ?? "",
    caller_id_number: leg.from,
    display_direction: "inbound",
    ...wireIds(leg),
    dialogParams: { custom_headers: [] },
  };
}

/** Sends a call's progress to the browser in the SDK's messages. */
export class BrowserLine implements CallerLine, SessionLine {
  #session: VoiceSession;
  readonly #callId: string;
  #answerSdp: string | null = null;
  #leg: CallLeg | null = null;
  #farRings = false;
  #answered: LegIds | null = null;
  held = false;
  hungUpByBrowser = false;

  constructor(session: VoiceSession, callId: string) {
    this.#session = session;
    this.#callId = callId;
  }

  ringing(leg: CallLeg): void {
    this.#leg = leg;
    this.#sendRinging(leg);
  }

  farRinging(leg: CallLeg): void {
    this.#farRings = true;
    this.#sendRinging(leg);
  }

  media(answerSdp: string): void {
    this.#answerSdp = answerSdp;
    this.#send("media", { sdp: answerSdp });
  }

  answered(ids: LegIds): void {
    this.#answered = ids;
    this.#send("answer", { ...wireIds(ids), variables: {}, dialogParams: { custom_headers: [] } });
  }

  ended(end: CallEnd): void {
    if (!this.hungUpByBrowser) this.#send("bye", { ...byeCause(end), sip_call_id: null, dialogParams: { custom_headers: [] } });
    this.#session.markEnded(this.#callId);
  }

  reoffer(offerSdp: string, leg: CallLeg): void {
    this.#send("attach", {
      sdp: offerSdp,
      callee_id_name: "Outbound Call",
      callee_id_number: leg.to,
      caller_id_name: leg.callerName ?? "",
      caller_id_number: leg.from,
      display_direction: "outbound",
      ...wireIds(leg),
      variables: {},
      dialogParams: { custom_headers: [] },
    });
    if (this.#answered === null) this.#sendRinging(leg);
  }

  moveTo(session: VoiceSession): void {
    this.#send("bye", { cause: CALL_MOVED_CAUSE, causeCode: NORMAL_CLEARING, dialogParams: { custom_headers: [] } });
    this.#session.markEnded(this.#callId);
    this.#session = session;
    this.held = false;
  }

  repeat(): void {
    if (this.#answerSdp !== null) this.media(this.#answerSdp);
    if (this.#answered !== null) this.answered(this.#answered);
    else if (this.#leg !== null) this.#sendRinging(this.#leg);
  }

  /** The provider's protocol says nothing about the far end, so this adds a field, which other clients ignore. */
  #sendRinging(leg: CallLeg): void {
    this.#send("ringing", { ...ringingParams(leg), far_end: this.#farRings ? "ringing" : "silent" });
  }

  #send(method: string, params: Record<string, unknown>): void {
    this.#session.send(`telnyx_rtc.${method}`, { callID: this.#callId, ...params });
  }
}

/** The end of a call in the SDK's terms. */
function byeCause(end: CallEnd): ByeCause {
  const [cause, causeCode] =
    end.sipStatus >= 500 && end.sipStatus < 600 ? byCause.unspecified : (byStatus[end.sipStatus] ?? byCause[end.cause]);
  return { cause, causeCode, sipCode: end.sipStatus, sipReason: end.reason.slice(0, 128) };
}
