import { i18n } from "../../lib/i18n.ts";
import { refreshCalls, refreshMoney } from "../../lib/queries.ts";
import { getToken, onSessionChange, setCallLive } from "../../lib/session.ts";
import { isFinal } from "../../phone/call-service.ts";
import { createPhone } from "../../phone/create-phone.ts";
import { isCallOpen, type PhoneState } from "../../phone/phone-state.ts";
import { toast } from "../../ui/toast.ts";
import { httpCallService } from "./http-call-service.ts";
import { writeNumber } from "./number-library.ts";
import { phoneErrorText } from "./phone-error-text.ts";

/** The message that a call is being set up. It is taken back when it is no longer true. */
const CALLING = "calling";

/** The phone of this tab. It outlives the dialer page: a call goes on while the caller looks at other pages. */
export const phone = createPhone(httpCallService);

let before = phone.state;
phone.subscribe(() => {
  const after = phone.state;
  const last = before;
  before = after;
  tellTheApp(last, after);
});

let owner = getToken();
onSessionChange(() => {
  const token = getToken();
  if (token !== owner) phone.signOut();
  owner = token;
});

/** What the rest of the app must know of a call, wherever its caller is looking. */
function tellTheApp(last: PhoneState, now: PhoneState): void {
  const wasOpen = isCallOpen(last);
  const isOpen = isCallOpen(now);
  if (wasOpen !== isOpen) setCallLive(isOpen);
  if (now.status !== last.status && now.status !== "initializing" && now.status !== "ringing") toast.dismiss(CALLING);
  if (now.error !== null && now.error !== last.error) toast.error(phoneErrorText(now.error));
  // Said once the service has allowed the call: nobody is "calling" who is refused.
  if (now.call !== null && now.call.callId !== null && now.call.callId !== last.call?.callId) {
    toast.info(i18n.t("dialer:toast.calling", { number: writeNumber(now.call.number) }), CALLING);
  }
  if (last.status !== "ended" && now.status === "ended") toast.success(i18n.t("dialer:toast.ended"));
  if (wasOpen && !isOpen) void refreshCalls();
  if (isSettled(now) && !isSettled(last)) void Promise.all([refreshMoney(), refreshCalls()]);
}

/** True once the service's word on the ended call, with its charge, is there. */
function isSettled(state: PhoneState): boolean {
  const record = (state.call ?? state.lastCall)?.record ?? null;
  return record !== null && isFinal(record);
}
