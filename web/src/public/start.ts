import { runClock } from "../features/rates/live-clock.ts";
import { nextTask } from "../lib/next-task.ts";
import { tellPages } from "../lib/page-cookie.ts";
import { readSetting } from "../lib/setting.ts";
import { applyTheme, rememberedTheme } from "../lib/theme.ts";
import { warmFormats } from "../lib/warm-formats.ts";
import { inView, used } from "../lib/when-needed.ts";
import "../styles/public.css";
import { keepEarlyPresses } from "./early-presses.ts";

/** The script of a public page: small, so that the page is read before the parts that need React arrive. */

const { islands = "" } = document.querySelector<HTMLElement>("[data-islands]")?.dataset ?? {};
followSession();
addEventListener("pageshow", (event) => event.persisted && followSession());
addEventListener("storage", followSession);
followScroll();
foldMenu();
if (document.querySelector("[data-clock]") !== null) void warmFormats().then(runClock);
keepEarlyPresses();
void whenNeeded().then(() => startIslands(islands.split(" ")));

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
  const formats = warmFormats();
  for (const href of files) {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = href;
    document.head.append(link);
  }
  await formats;
  for (const file of files) {
    await import(/* @vite-ignore */ file);
    await nextTask();
  }
}

/** The bar becomes translucent once the page's first pixels are out of sight. To be told so costs no layout of the page. */
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

/**
 * Resolves at the first sign that somebody wants to use the page, or when a living part comes into view on a page that has
 * loaded and of which something is on the screen. Who only reads never loads what needs React.
 */
async function whenNeeded(): Promise<void> {
  await Promise.race([used, shown().then(() => Promise.race(livingParts().map(inView)))]);
}

/** What of each living part takes room: the part itself is no box. */
function livingParts(): readonly Element[] {
  return [...document.querySelectorAll("[data-island] > *")];
}

/** Resolves when the page has loaded and is painted. One behind another tab is painted only after that changes. */
async function shown(): Promise<void> {
  if (document.readyState !== "complete") await new Promise((resolve) => addEventListener("load", resolve, { once: true }));
  await new Promise<void>((resolve) => {
    const paints = new PerformanceObserver((list) => {
      if (list.getEntriesByName("first-contentful-paint").length === 0) return;
      paints.disconnect();
      setTimeout(resolve);
    });
    paints.observe({ type: "paint", buffered: true });
  });
}
