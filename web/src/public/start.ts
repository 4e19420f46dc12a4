import { fillCountries } from "../features/landing/fill-countries.ts";
import type { PadCountry } from "../features/landing/pad-countries.ts";
import { completeCards } from "../features/rates/complete-cards.ts";
import { runClock } from "../features/rates/live-clock.ts";
import { nextTask } from "../browser/next-task.ts";
import { tellPages } from "../session/page-cookie.ts";
import { readSetting } from "../browser/setting.ts";
import { applyTheme, rememberedTheme } from "../browser/theme.ts";
import { warmFormats } from "../text/warm-formats.ts";
import { inView } from "../browser/when-needed.ts";
import { carriedProps, carriedTexts } from "./carried-data.ts";
import { keepEarlyPresses } from "./early-presses.ts";
import { livingParts } from "./living-parts.ts";

/** The script of a public page: small, so that the page is read before the parts that need React arrive. */

const islands = document.querySelector<HTMLElement>("[data-islands]")?.dataset["islands"]?.split(" ") ?? [];
keepEarlyPresses();
void completePad();
void start();

/** In small steps, so that the page answers meanwhile: the first look into the browser's storage alone may take a while. */
async function start(): Promise<void> {
  await nextTask();
  followSession();
  addEventListener("pageshow", (event) => event.persisted && followSession());
  addEventListener("storage", followSession);
  await nextTask();
  followScroll();
  foldMenu();
  if (document.querySelector("[data-clock]") !== null) void warmFormats().then(runClock);
  void completeRates();
  await startIslands();
}

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
 * Fetches what living parts need once one of them is in view, and runs it when somebody reaches for one: who only reads never
 * runs React, who has a calculator before the eyes never waits for the line, and no script holds a page that is only read.
 * The last file takes the islands over, the others are what it imports. They run one after the other with room between
 * them: in one go they would hold the page.
 */
async function startIslands(): Promise<void> {
  const reached = Promise.race(livingParts.values());
  await Promise.race([reached, shown().then(() => Promise.race(rooms().map(inView)))]);
  await nextTask();
  const formats = warmFormats();
  await nextTask();
  for (const href of islands) {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = href;
    document.head.append(link);
  }
  await reached;
  await formats;
  for (const file of islands) {
    await import(/* @vite-ignore */ file);
    await nextTask();
  }
}

/** The list of the demo pad is complete when somebody reaches for the pad: before it can open. */
async function completePad(): Promise<void> {
  const pad = document.querySelector<HTMLElement>("[data-island=dial-pad]");
  if (pad === null) return;
  await livingParts.get(pad);
  const { countries } = carriedProps<{ readonly countries: readonly PadCountry[] }>("dial-pad");
  const texts = carriedTexts<Record<string, { readonly landing: { readonly pad: { readonly option: string } } }>>();
  fillCountries(pad, countries, texts[document.documentElement.lang]?.landing.pad.option);
}

/** The cards of `/rates` are complete soon after the page is painted. */
async function completeRates(): Promise<void> {
  await shown();
  if (document.querySelector("[data-brief]") === null) return;
  await warmFormats();
  const texts = carriedTexts<Record<string, { readonly rates: { readonly card: { readonly samples: string } } }>>();
  await completeCards(texts[document.documentElement.lang]?.rates.card.samples);
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

/** What of each living part takes room: the part itself is no box. */
function rooms(): readonly Element[] {
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
