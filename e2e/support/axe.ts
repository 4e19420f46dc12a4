import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import type { run, RunOnly } from "axe-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const RULES: RunOnly = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] };
/** A theme changes colours and nothing else, so the second theme is held to the rules about colours alone. */
const COLOUR_RULES: RunOnly = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const MAX_HEIGHT = 12_000;

/** As many cards of countries as axe is shown. */
const SHOWN_CARDS = 12;

/**
 * What axe has against the page as it stands, light and dark, on a desktop and on a phone: one line for each fault. The
 * page is not loaded anew in between, so what is open stays open. Leaves it light and at a phone's width.
 */
export async function faultsOf(page: Page, where: string): Promise<string[]> {
  await hideMostCards(page);
  await drawUnseenCards(page);
  const found: string[] = [];
  for (const [screen, viewport] of [
    ["desktop", DESKTOP],
    ["phone", PHONE],
  ] as const) {
    await page.setViewportSize(viewport);
    // As tall as the page: the bars that stay in place cover nothing then, wherever the page had been scrolled to.
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ ...viewport, height: Math.max(viewport.height, Math.min(height, MAX_HEIGHT)) });
    found.push(...(await faultsInBothThemes(page, `${where}, ${screen}`)));
  }
  return found;
}

/** As `faultsOf`, at the width that the page has: for what exists at one width only, or not for long. */
export async function faultsInBothThemes(page: Page, where: string): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await drawn(page);
  const dark = await analyse(page, `${where}, dark`, COLOUR_RULES);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await drawn(page);
  return [...dark, ...(await faultsNow(page, where))];
}

/** As `faultsOf`, for the page, or the one part of it, just as it stands. */
export async function faultsNow(page: Page, where: string, part?: string): Promise<string[]> {
  return await analyse(page, where, RULES, part);
}

/** Axe is put into each document once and hands over its faults alone: all it has looked at takes longer than the look. */
async function analyse(page: Page, where: string, runOnly: RunOnly, part?: string): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  const faults = await page.evaluate(
    async ({ options, within }) => {
      const { axe } = window as unknown as { axe: { run: typeof run } };
      const { violations } = await axe.run(within ?? document, { ...options, resultTypes: ["violations"] });
      return violations.flatMap(({ id, nodes }) => nodes.map((node) => ({ ...node, id, target: node.target.join(" ") })));
    },
    { options: { runOnly }, within: part },
  );
  return faults.map(({ id, target, html, failureSummary = "" }) =>
    [where, id, target, html.slice(0, 120), failureSummary.replaceAll(/\s+/g, " ")].join(": "),
  );
}

/**
 * The rates have a card for each of some 240 countries, all made by one component. Axe compares every element with every
 * other and takes most of a minute for them, to say the same of each card: the first ones are enough.
 */
async function hideMostCards(page: Page): Promise<void> {
  await page.locator("li[data-country]").evaluateAll((cards, shown) => {
    for (const card of cards.slice(shown)) if (card instanceof HTMLElement) card.style.display = "none";
  }, SHOWN_CARDS);
}

/** Cards out of sight keep the colours they were last drawn in (`content-visibility`); nobody sees them, but axe does. */
async function drawUnseenCards(page: Page): Promise<void> {
  await page.locator(".ratecard, .contact").evaluateAll((cards) => {
    for (const card of cards) if (card instanceof HTMLElement) card.style.contentVisibility = "visible";
  });
}

/** Waits until the page wears its new colours. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate(async () => {
    // On a busy machine colours begin to change some frames later; ten seconds are more than any change takes.
    for (let still = 0, frame = 0; still < 4 && frame < 600; frame += 1) {
      await new Promise((next) => requestAnimationFrame(next));
      const changing = document.getAnimations().some((animation) => animation instanceof CSSTransition);
      still = changing ? 0 : still + 1;
    }
    // One that is cut short is over as well.
    await Promise.allSettled(document.getAnimations().map((animation) => animation.finished));
  });
}
