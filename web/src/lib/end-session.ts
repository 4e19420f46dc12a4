import { anyAnswer, request } from "./http.ts";
import { i18n } from "./i18n.ts";
import { dropSession, isCallLive } from "./session.ts";
import { toast } from "../ui/toast.ts";

/**
 * Signs this browser out by `DELETE /api/sessions` (every device) or `POST /api/logout` (this one alone), but not while a
 * call is live. @throws ApiError when the service could not be told; this browser stays signed in then
 */
export async function endSession(which: "everywhere" | "here"): Promise<void> {
  if (isCallLive()) return toast.warning(i18n.t("nav.logoutInCall"));
  if (which === "everywhere") await request("DELETE", "/sessions", anyAnswer);
  else await request("POST", "/logout", anyAnswer);
  dropSession();
}
