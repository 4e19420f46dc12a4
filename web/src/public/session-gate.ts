import { readSetting } from "../lib/setting.ts";
import { applyTheme, rememberedTheme } from "../lib/theme.ts";

/**
 * Runs before anything of a public page is painted, because only the browser knows whether somebody is signed in: `/`
 * leads a signed-in person to the dialer, `/rates` becomes the app's own rates page, and other pages show a way back to
 * the app. Also when the page comes back from the browser's memory, or another tab signs in.
 */
function pass(): void {
  const root = document.documentElement;
  const signedIn = isSignedIn();
  if (!signedIn) return root.removeAttribute("data-signed-in");
  root.setAttribute("data-signed-in", "");
  if (location.pathname === "/") location.replace("/dialer");
  // The app itself shows these; the page's script starts it.
  else if (location.pathname === "/rates") root.setAttribute("data-app", "");
}

function isSignedIn(): boolean {
  return readSetting("token") !== null;
}

document.documentElement.setAttribute("data-scripted", "");
applyTheme(rememberedTheme());
pass();
addEventListener("pageshow", (event) => event.persisted && pass());
addEventListener("storage", pass);
