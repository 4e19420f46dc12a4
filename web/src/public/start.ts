import { applyAppearance } from "../browser/appearance.ts";
import { handlePageEvents } from "../page-events.ts";
import { runClock } from "../features/rates/live-clock.ts";
import { onPageBack } from "../browser/page-life.ts";
import { readSetting, setPageCookie } from "../browser/storage.ts";
import { carryNumber } from "../browser/carried-number.ts";
import { forgetReturnPath } from "../session/return-path.ts";

/** The first script of a public page, which is complete without it. React loads with the second (`hydrate-islands.tsx`). */

handlePageEvents();
followSession();
// A visitor who reads a public page no longer wants the page that sign-in interrupted.
forgetReturnPath();
addEventListener("pageshow", forgetReturnPath);
onPageBack(followSession);
addEventListener("storage", followSession);
followScroll();
foldMenu();
runClock();
carryEntered();

/**
 * The server rendered this page for the user in the cookies. If the browser's storage says otherwise (another tab signed in
 * or out, cookies were cleared, the page comes from the back-forward cache), the page updates: `/` redirects a signed-in user
 * to the dialer, `/rates` becomes the app's page, and other pages show the link to the app.
 */
function followSession(): void {
  const root = document.documentElement;
  const signedIn = readSetting("token") !== null;
  applyAppearance();
  if (signedIn === root.hasAttribute("data-signed-in")) return;
  setPageCookie("signed-in", signedIn ? "1" : null);
  root.toggleAttribute("data-signed-in", signedIn);
  if (signedIn && location.pathname === "/") location.replace("/dialer");
  // With cookies blocked, the server would render the same page again, in an endless loop.
  else if (signedIn && location.pathname === "/rates" && document.cookie.includes("signed-in=1")) location.reload();
}

/** The bar becomes translucent after the first pixels of scroll. An observer avoids layout work. */
function followScroll(): void {
  const [bar, top] = [document.querySelector("[data-top-bar]"), document.querySelector("[data-top-mark]")];
  if (top === null || typeof IntersectionObserver === "undefined") return;
  const watch = new IntersectionObserver(([entry]) => bar?.toggleAttribute("data-scrolled", entry?.isIntersecting === false));
  watch.observe(top);
}

/** Links to sign-up and sign-in keep what the page is about, for the dialer: a page's country, or the number entered on it. */
function carryEntered(): void {
  document.addEventListener("click", (event) => {
    if ((event.target as Element).closest('a[href="/register"], a[href="/login"]') === null) return;
    const { carryNumber: number = "", carryCountry: country = "" } =
      document.querySelector<HTMLElement>("[data-carry-country]")?.dataset ?? {};
    if (number !== "" || country !== "") carryNumber({ number, country: country || null });
  });
}

/** The menu closes on Escape and when one of its links is followed. */
function foldMenu(): void {
  const menu = document.querySelector<HTMLDetailsElement>("[data-top-menu]");
  menu?.addEventListener("click", (event) => {
    if ((event.target as Element).closest("a") !== null) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || menu?.open !== true) return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
}
