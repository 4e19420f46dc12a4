import { anyAnswer, request } from "../lib/http.ts";
import { i18n } from "../lib/i18n.ts";
import { forgetOwn } from "../lib/own-storage.ts";
import { dropSession, isCallLive } from "../lib/session.ts";
import { toast } from "../ui/toast.ts";

const LOGOUT_TIMEOUT_MS = 5000;

/** Signs out and leads to the landing page: the service is told, but the session ends here whatever it answers. Not while a call is live. */
export function logOut(): void {
  if (isCallLive()) return toast.warning(i18n.t("nav.logoutInCall"));
  // The request reads the token before the session is dropped. Its failure changes nothing for this browser, and the
  // service lets unused sessions expire.
  request("POST", "/logout", anyAnswer, { timeoutMs: LOGOUT_TIMEOUT_MS }).catch(() => undefined);
  forgetOwn();
  dropSession();
  window.location.assign("/");
}
