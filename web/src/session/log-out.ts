import { request } from "../service/http.ts";
import { i18n } from "../text/i18n.ts";
import { forgetCarriedNumber } from "../browser/carried-number.ts";
import { forgetOwn } from "../browser/own-storage.ts";
import { forgetInvitation } from "./address-secrets.ts";
import { forgetReturnPath } from "./return-path.ts";
import { dropSession, getToken, isCallLive, onSessionChange, readSessionEnd } from "./session.ts";
import { toast } from "../ui/messages/toast.ts";

const LOGOUT_TIMEOUT_MS = 5000;

/**
 * Signs this browser out. The service is told, even if the page closes, but the session ends here whatever it responds;
 * the service lets unused sessions expire. Returns false during a live call, when nobody is signed out.
 */
export function logOut(): boolean {
  if (!mayLogOut()) return false;
  // The request reads the token before the session is dropped.
  request("POST /api/logout", { timeoutMs: LOGOUT_TIMEOUT_MS, keepalive: true }).catch(() => undefined);
  leave();
  return true;
}

/** Signs out every device, except during a call. @throws ApiError when the service cannot be reached; nothing changes then */
export async function logOutEverywhere(): Promise<void> {
  if (!mayLogOut()) return;
  await request("DELETE /api/sessions");
  leave();
}

function mayLogOut(): boolean {
  if (isCallLive()) toast.warning(i18n.t("nav.logoutInCall"));
  return !isCallLive();
}

let loggedOut = false;
onSessionChange(() => {
  if (getToken() !== null) loggedOut = false;
  // Logged out in another tab, which cannot empty this one's storage.
  else if (readSessionEnd() === null) forgetOwn();
});

/** Whether this page's customer logged out explicitly. The next user must then not be led to their page. */
export function hasLoggedOut(): boolean {
  return loggedOut;
}

function leave(): void {
  loggedOut = true;
  forgetReturnPath();
  forgetInvitation();
  forgetCarriedNumber();
  forgetOwn();
  dropSession();
}
