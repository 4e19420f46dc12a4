import type { CallEnd } from "../calls/hangup-causes.ts";

/** The fields of `telnyx_rtc.bye` that reach the app, with FreeSWITCH's hang-up causes (Q.850). */
export interface ByeCause {
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

/** The end of a call in the SDK's terms. */
export function byeCause(end: CallEnd): ByeCause {
  const [cause, causeCode] =
    end.sipStatus >= 500 && end.sipStatus < 600 ? byCause.unspecified : (byStatus[end.sipStatus] ?? byCause[end.cause]);
  return { cause, causeCode, sipCode: end.sipStatus, sipReason: end.reason.slice(0, 128) };
}
