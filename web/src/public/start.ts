import { nextTask } from "../lib/next-task.ts";
import { tellPages } from "../lib/page-cookie.ts";
import { readSetting } from "../lib/setting.ts";
import { applyTheme, rememberedTheme } from "../lib/theme.ts";
import "../styles/public.css";

/** The script of a public page: small, so that the page is read before the parts that need React arrive. */
const SCROLLED_PX = 20;

const { islands = "" } = document.querySelector<HTMLElement>("[data-islands]")?.dataset ?? {};
followSession();
addEventListener("pageshow", (event) => event.persisted && followSession());
addEventListener("storage", followSession);
followScroll();
foldMenu();
whenQuiet(() => void startIslands(islands.split(" ")));

/**
 * The service wrote the page for whom the cookies told. Where this browser knows better (another tab signed in or out,
 * the cookies are gone, the page comes back from the browser's memory) the page follows: `/` leads a signed-in person
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
  // Where cookies are blocked the service would write the same page again, for ever.
  else if (signedIn && location.pathname === "/rates" && document.cookie.includes("signed-in=1")) location.reload();
}

/**
 * The last file takes the islands over, the others are what it imports: all are asked for at once. They run one after the
 * other with room between them: in one go they would hold the page.
 */
async function startIslands(files: readonly string[]): Promise<void> {
  for (const href of files) {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = href;
    document.head.append(link);
  }
  for (const file of files) {
    await import(/* @vite-ignore */ file);
    await nextTask();
  }
}

/** The bar becomes translucent once the page has left its top. */
function followScroll(): void {
  const bar = document.querySelector<HTMLElement>(".topbar");
  const follow = () => bar?.toggleAttribute("data-scrolled", scrollY > SCROLLED_PX);
  addEventListener("scroll", follow, { passive: true });
  follow();
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

/** Once the page has loaded and something of it is on the screen, or at the first sign that somebody wants to use it. */
function whenQuiet(run: () => void): void {
  const signs = ["pointerdown", "keydown", "focusin"] as const;
  let begun = false;
  const begin = () => {
    if (begun) return;
    begun = true;
    for (const sign of signs) removeEventListener(sign, begin);
    run();
  };
  for (const sign of signs) addEventListener(sign, begin, { passive: true });
  if (document.readyState === "complete") afterFirstPaint(begin);
  else addEventListener("load", () => afterFirstPaint(begin), { once: true });
}

/** A page behind another tab is not painted; it is used only after that changes. */
function afterFirstPaint(run: () => void): void {
  const paints = new PerformanceObserver((list) => {
    if (list.getEntriesByName("first-contentful-paint").length === 0) return;
    paints.disconnect();
    setTimeout(run);
  });
  paints.observe({ type: "paint", buffered: true });
}
