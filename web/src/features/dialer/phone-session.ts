import { startTransition, useEffect, useState } from "react";
import { formatCount, formatMinutes } from "../../text/format.ts";
import { i18n } from "../../text/i18n.ts";
import { onLiveHint } from "../../service/live-events.ts";
import { writeNumber } from "../../text/phone-text.ts";
import { balanceQuery, refreshCalls, refreshMoney } from "../../service/queries.ts";
import { getToken, onSessionChange, setCallLive } from "../../session/session.ts";
import { isCallViewShown, type RunningCall, setRunningCall } from "../../session/running-call.ts";
import { type CallService, isFinal, ServiceRefusal } from "../../phone/call/call-service.ts";
import { createPhone } from "../../phone/create-phone.ts";
import type { AudioDevice, AudioDevices } from "../../phone/device/audio-devices.ts";
import { isCallOpen, microphoneProblem, type PhoneCall, type PhoneState } from "../../phone/phone-state.ts";
import { toast } from "../../ui/messages/toast.ts";
import { callSeconds, costSoFar, soundTrouble } from "./call/call-facts.ts";
import { accompanyCall } from "./call/accompany-call.ts";
import { showPrice } from "./dialer-queries.ts";
import type { PhoneError, PhoneErrorCode } from "../../phone/phone-error.ts";
import { ApiError, request } from "../../service/http.ts";
import { queryClient } from "../../service/query-client.ts";
import { askForLiveCall, leaveCall, stayInCall } from "../../service/live-call.ts";

/** The message that a call is being set up; removed when it no longer applies. */
const CALLING = "calling";
/** The toast that one side cannot hear the other, dismissed with its cause. */
const TROUBLE = "trouble";
/** The toast that a call can last longer, dismissed by what shows the same. */
export const EXTENDED = "extended";

/** The phone's requests to the service, over HTTP. */
const httpCallService: CallService = {
  getVoiceToken: () => refusing(request("GET /api/calls/token")),
  initiate: (wanted, idempotencyKey) => {
    const balance = queryClient.getQueryData(balanceQuery.queryKey);
    const body = balance === undefined ? wanted : { ...wanted, paid_by_family: balance.family !== null };
    return refusing(request("POST /api/calls/initiate", { body, headers: { "Idempotency-Key": idempotencyKey } }));
  },
  getCall: async (callId) => (await refusing(request("GET /api/calls/:id", { params: { id: callId } }))).call,
  stay: (callId) => refusing(stayInCall(callId)),
  getLiveCall: (wasIn) => refusing(askForLiveCall(wasIn)),
  move: async (callId, voiceSession) => {
    await refusing(request("POST /api/calls/:id/move", { params: { id: callId }, body: { voice_session: voiceSession } }));
  },
  leave: (callId) => refusing(leaveCall(callId)),
  hangup: async (callId) =>
    (await refusing(request("POST /api/calls/:id/hangup", { params: { id: callId }, keepalive: true }))).call,
  sendControlIds: async (callId, body) => {
    await refusing(request("PATCH /api/calls/:id/control-id", { params: { id: callId }, body }));
  },
  sendQuality: async (callId, samples) => {
    await refusing(request("POST /api/calls/:id/quality", { params: { id: callId }, body: { samples }, keepalive: true }));
  },
  startEchoTest: () => refusing(request("POST /api/calls/echo-test")),
};

/** Lets the phone distinguish a refusal by the service from a missing response. */
async function refusing<T>(response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (error) {
    if (!(error instanceof ApiError) || !error.fromService) throw error;
    const { status, code, message, price } = error;
    throw new ServiceRefusal({ status, code, message, price });
  }
}

/** The phone of this tab. It outlives the dialer page, so a call continues while the caller visits other pages. */
export const phone = createPhone(httpCallService);

/**
 * The phone's state, rendered in transitions: showing the call takes some 30 ms, and in one piece, as `useSyncExternalStore`
 * renders, that would delay the messages that set the call up.
 */
export function usePhone(): PhoneState {
  const [state, setState] = useState(phone.state);
  useEffect(() => {
    const show = (): void => startTransition(() => setState(phone.state));
    show();
    return phone.subscribe(show);
  }, []);
  return state;
}

accompanyCall(phone, ({ call }) => call?.name ?? writeNumber(call?.number ?? ""));

let isFollowing = false;

/** Checks for a running call now, and after each live event about calls, which precedes the phone's next poll. */
export function followCalls(): void {
  phone.refresh();
  if (isFollowing) return;
  isFollowing = true;
  onLiveHint((hint) => {
    if (hint.type === "call" || hint.type === "call_warning" || hint.type === "ready") phone.refresh();
  });
}

let before = phone.state;
phone.subscribe(() => {
  const after = phone.state;
  const last = before;
  before = after;
  notifyApp(last, after);
});

let owner = getToken();
onSessionChange(() => {
  const token = getToken();
  if (token !== owner) phone.signOut();
  owner = token;
});

/** Publishes the call's state to the rest of the app, whichever page is open. */
function notifyApp(last: PhoneState, now: PhoneState): void {
  const wasOpen = isCallOpen(last);
  const isOpen = isCallOpen(now);
  if (isOpen || wasOpen) setRunningCall(isOpen && now.call !== null ? runningCall(now.call) : null);
  if (wasOpen !== isOpen) setCallLive(isOpen);
  if (now.status !== last.status && now.status !== "initializing" && now.status !== "ringing") toast.dismiss(CALLING);
  if (now.error !== null && now.error !== last.error) {
    // The dial form shows a new price and asks about it.
    if (now.error.price !== null) void showPrice(now.error.price);
    else toast.error(phoneErrorText(now.error));
  }
  // Shown only once the service has allowed the call, so never for a refused one.
  if (now.call !== null && !now.call.reconnecting && now.call.callId !== null && now.call.callId !== last.call?.callId) {
    toast.info(i18n.t("dialer:toast.calling", { number: writeNumber(now.call.number) }), CALLING);
  }
  showSoundToasts(last, now);
  const back = now.call?.backAfterSeconds ?? null;
  if (back !== null && (last.call?.backAfterSeconds ?? null) === null && !isCallViewShown())
    toast.info(i18n.t("dialer:call.back", { seconds: formatCount(back) }));
  const gained = gainedSeconds(last, now);
  if (gained > 0)
    toast.success(i18n.t("dialer:toast.extended", { minutes: formatMinutes(Math.max(1, Math.floor(gained / 60))) }), EXTENDED);
  if (last.status !== "ended" && now.status === "ended") showEndToast(last, now);
  if (wasOpen && !isOpen) void refreshCalls();
  if (isSettled(now) && !isSettled(last)) void Promise.all([refreshMoney(), refreshCalls()]);
}

/** Shows toasts for changes of the sound that the screen does not show. */
function showSoundToasts(last: PhoneState, now: PhoneState): void {
  const { trouble, was } = { trouble: soundTrouble(now), was: soundTrouble(last) };
  if (trouble !== null && trouble !== was && !isCallViewShown()) toast.error(i18n.t(`dialer:call.trouble.${trouble}`), TROUBLE);
  if (trouble === null) toast.dismiss(TROUBLE);
  const wasUnheard = last.call?.microphone === "gone" || last.call?.microphone === "muted";
  const isHeardAgain = isCallOpen(now) && now.call?.microphone === "open" && wasUnheard;
  if (isHeardAgain) toast.success(i18n.t("dialer:toast.heardAgain"));
  else if (!isCallOpen(now) && microphoneProblem(now) === null && microphoneProblem(last) !== null)
    toast.success(i18n.t("dialer:toast.microphoneReady"));
  const gone = lostDevice(last.devices, now.devices);
  if (gone !== null) toast.warning(i18n.t("dialer:toast.deviceGone", { name: gone.label }));
}

/** The chosen device that was just unplugged, while another one takes its place. */
function lostDevice(last: AudioDevices, now: AudioDevices): AudioDevice | null {
  const isGone = (id: string | null, left: readonly AudioDevice[]): boolean => id !== null && left.every((one) => one.id !== id);
  if (now.hasMicrophone && isGone(last.microphoneId, now.microphones))
    return last.microphones.find(({ id }) => id === last.microphoneId) ?? null;
  if (now.hasSpeaker && isGone(last.speakerId, now.speakers))
    return last.speakers.find(({ id }) => id === last.speakerId) ?? null;
  return null;
}

function runningCall(call: PhoneCall): RunningCall {
  return {
    who: call.name ?? writeNumber(call.number),
    seconds: callSeconds(call),
    cost: costSoFar(call).cost,
    hangUp: () => phone.hangUp(),
  };
}

/** Success only for a call that was answered and hung up, not for a busy or declined one. */
function showEndToast(last: PhoneState, { call }: PhoneState): void {
  const isSuccess = last.status === "active" && (call?.endReason ?? "hangup") === "hangup";
  toast[isSuccess ? "success" : "info"](i18n.t("dialer:toast.ended"));
}

/** Seconds by which a top-up has just extended the running call. */
function gainedSeconds(last: PhoneState, now: PhoneState): number {
  const before = last.call?.record;
  const after = now.call?.record;
  if (!before || !after || before.id !== after.id || !isCallOpen(now)) return 0;
  return Math.max(0, after.max_seconds - before.max_seconds);
}

/** True once the service's record of the ended call, with its charge, has arrived. */
function isSettled(state: PhoneState): boolean {
  const record = (state.call ?? state.lastCall)?.record ?? null;
  return record !== null && isFinal(record);
}

/** The text shown for a failure: the service's message, otherwise our own. */
export function phoneErrorText(error: PhoneError): string {
  return error.message === "" ? i18n.t(`dialer:error.${error.code}`) : error.message;
}

/** Failures with a technical sentence of their own. */
const WITH_DETAIL = ["line_init_failed", "line_not_connected", "register_failed", "connect_failed", "initiate_failed"] as const;

/** The technical message shown below ours, for support; null if there is none. */
export function phoneErrorDetail({ code, message }: PhoneError): string | null {
  const known = WITH_DETAIL.find((one) => one === code);
  return message === "" && known !== undefined ? i18n.t(`dialer:errorDetail.${known}`) : null;
}

/** Whether the caller can do something about it in the browser or the system: see `sound/call-advice.tsx`. */
export function hasAdvice(code: PhoneErrorCode): boolean {
  return code === "cannot_call" || code === "microphone_denied";
}
