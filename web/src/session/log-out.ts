import { request } from "../service/http.ts";
import { i18n } from "../text/i18n.ts";
import { forgetCarriedNumber } from "../browser/carried-number.ts";
import { forgetInvitation } from "./address-secrets.ts";
import { forgetReturnPath } from "./return-path.ts";
import { dropSession, getToken, isCallLive, onSessionChange, readSessionEnd } from "./session.ts";
import { toast } from "../ui/messages/toast.ts";
import { forgetOwn } from "../browser/own-storage.ts";

const LOGOUT_TIMEOUT_MS = 5000;

/** The page that follows: the public one, or the sign-in page, which keeps messages in view. */
type Next = "/" | "/login";

/**
 * Signs this browser out, except during a live call. The service is told, even if the page closes, but the session ends here
 * whatever it responds; the service lets unused sessions expire.
 */
export function logOut(next: Next): void {
  if (!mayLogOut()) return;
  // The request reads the token before the session is dropped.
  request("POST /api/logout", { timeoutMs: LOGOUT_TIMEOUT_MS, keepalive: true }).catch(() => undefined);
  leave(next);
}

/** Signs out every device, except during a call. @throws ApiError when the service cannot be reached; nothing changes then */
export async function logOutEverywhere(): Promise<void> {
  if (!mayLogOut()) return;
  await request("DELETE /api/sessions");
  leave("/login");
}

function mayLogOut(): boolean {
  if (isCallLive()) toast.warning(i18n.t("nav.logoutInCall"));
  return !isCallLive();
}

let leftFor: Next | null = null;
onSessionChange(() => {
  if (getToken() !== null) leftFor = null;
  // Logged out in another tab, which cannot empty this one's storage.
  else if (readSessionEnd() === null) forgetOwn();
});

/**
 * Where the page goes because its customer logged out explicitly, or null. The next user must then not be led to their page. One
 * component navigates there: of two navigations at once, Safari cancels one.
 */
export function leavingFor(): Next | null {
  return leftFor;
}

function leave(next: Next): void {
  leftFor = next;
  forgetReturnPath();
  forgetInvitation();
  forgetCarriedNumber();
  forgetOwn();
  dropSession();
}
