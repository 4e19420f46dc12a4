import { runClock } from "../features/rates/live-clock.ts";
import { tellPages } from "../session/page-cookie.ts";
import { readSetting } from "../browser/setting.ts";
import { applyTheme, rememberedTheme } from "../browser/theme.ts";

/** The first script of a public page, which is complete without it. React comes with the second (`hydrate-islands.tsx`). */

followSession();
addEventListener("pageshow", (event) => event.persisted && followSession());
addEventListener("storage", followSession);
followScroll();
foldMenu();
runClock();

/**
 * The server rendered this page for the user in the cookies. Where this browser knows better (another tab signed in or out,
 * the cookies are gone, the page comes back from the back-forward cache) the page follows: `/` leads a signed-in person
 * to the dialer, `/rates` becomes the app's own page, and other pages show the way back to the app.
 */
function followSession(): void {
  const root = document.documentElement;
  const signedIn = readSetting("token") !== null;
  applyTheme(rememberedTheme());
  if (signedIn === root.hasAttribute("data-signed-in")) return;
  tellPages("signed-in", signedIn ? "1" : null);
  root.toggleAttribute("data-signed-in", signedIn);
  if (signedIn && location.pathname === "/") location.replace("/dialer");
  // With cookies blocked the server would render the same page again, forever.
  else if (signedIn && location.pathname === "/rates" && document.cookie.includes("signed-in=1")) location.reload();
}

/** The bar becomes translucent once the page's first pixels are scrolled away. An observer needs no layout. */
function followScroll(): void {
  const [bar, top] = [document.querySelector(".topbar"), document.querySelector(".topbar__mark")];
  const watch = new IntersectionObserver(([entry]) => bar?.toggleAttribute("data-scrolled", entry?.isIntersecting === false));
  if (top !== null) watch.observe(top);
}

/** The menu closes when one of its links is followed and by Escape. */
function foldMenu(): void {
  const menu = document.querySelector<HTMLDetailsElement>("details.topbar__menu");
  menu?.addEventListener("click", (event) => {
    if ((event.target as Element).closest("a") !== null) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || menu?.open !== true) return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
}
