import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** A theme changes colours and nothing else, so the second theme is held to the rules about colours alone. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

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
  await drawUnseenParts(page);
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
  const dark = await analyse(new AxeBuilder({ page }).withRules(COLOUR_RULES), `${where}, dark`);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await drawn(page);
  return [...dark, ...(await analyse(new AxeBuilder({ page }).withTags(RULES), where))];
}

async function analyse(axe: AxeBuilder, where: string): Promise<string[]> {
  // No page has a frame; the other mode would open a window for every look, and hide this one behind it.
  const { violations } = await axe.setLegacyMode().analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, html, failureSummary = "" }) =>
      [where, id, target.join(" "), html.slice(0, 120), failureSummary.replaceAll(/\s+/g, " ")].join(": "),
    ),
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

/** What is out of sight keeps the colours it was last drawn in (`content-visibility`); nobody sees it, but axe does. */
async function drawUnseenParts(page: Page): Promise<void> {
  await page.locator(".ratecard, .contact, .public section, .footer").evaluateAll((parts) => {
    for (const part of parts) if (part instanceof HTMLElement) part.style.contentVisibility = "visible";
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
