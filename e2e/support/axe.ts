import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";
import type { run, RunOnly } from "axe-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const RULES: RunOnly = { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] };
/** A theme changes only colours, so the second theme is checked only against the colour rules. */
const COLOUR_RULES: RunOnly = { type: "rule", values: ["color-contrast", "link-in-text-block"] };

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const MAX_HEIGHT = 12_000;

/** The number of country cards that axe checks. */
const SHOWN_CARDS = 12;

/**
 * The axe violations of the page in its current state, light and dark, on a desktop and on a phone: one line each. The page
 * is not reloaded, so open dialogs stay open. Ends in the light theme at a phone's width.
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
    // As tall as the page, so that fixed bars cover nothing, wherever the page was scrolled to.
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ ...viewport, height: Math.max(viewport.height, Math.min(height, MAX_HEIGHT)) });
    found.push(...(await faultsInBothThemes(page, `${where}, ${screen}`)));
  }
  return found;
}

/** Like `faultsOf`, at the page's current width: for what exists at one width only, or briefly. */
export async function faultsInBothThemes(page: Page, where: string): Promise<string[]> {
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await drawn(page);
  const dark = await analyse(page, `${where}, dark`, COLOUR_RULES);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await drawn(page);
  return [...dark, ...(await faultsNow(page, where))];
}

/** Like `faultsOf`, for the page or one part of it, exactly as it is. */
export async function faultsNow(page: Page, where: string, part?: string): Promise<string[]> {
  return await analyse(page, where, RULES, part);
}

/** Injects axe once per document. Returns only violations, because transferring all results takes longer than the check. */
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
 * The rates page has some 240 country cards, all from one component. Axe compares every element with every other and needs
 * most of a minute for them, with the same result for each card, so only the first ones stay.
 */
async function hideMostCards(page: Page): Promise<void> {
  await page.locator("li[data-country]").evaluateAll((cards, shown) => {
    for (const card of cards.slice(shown)) if (card instanceof HTMLElement) card.style.display = "none";
  }, SHOWN_CARDS);
}

/** Cards out of view keep the colours they were last painted in (`content-visibility`), which axe would check. */
async function drawUnseenCards(page: Page): Promise<void> {
  await page.locator("main li:has(h2, h3)").evaluateAll((cards) => {
    for (const card of cards) if (card instanceof HTMLElement) card.style.contentVisibility = "visible";
  });
}

/** Waits until the new colours are painted. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate(async () => {
    // On a busy machine colours start to change some frames later. Endless animations are ignored.
    const deadline = performance.now() + 10_000;
    const isChanging = ({ playState, effect }: Animation) =>
      playState === "running" && Number.isFinite(Number(effect?.getComputedTiming().endTime));
    let stillFrames = 0;
    while (stillFrames < 4 && performance.now() < deadline) {
      await new Promise((next) => requestAnimationFrame(next));
      stillFrames = document.getAnimations().some(isChanging) ? 0 : stillFrames + 1;
    }
  });
}
