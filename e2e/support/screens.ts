import { expect, type Page } from "@playwright/test";
import { ECHO_LINE } from "./phone-network.ts";
import type { JudgedPage } from "./webkit.ts";
import { AFTER_CALL, CALL_NOW, CALL_STATUS, HANG_UP, NUMBER } from "./parts.ts";

export const visitorPaths = [
  "/login",
  "/register",
  "/forgot-password",
  "/reset-password#t=x",
  "/verify-email#t=x",
  "/auth/google/callback?error=no",
  "/no-such-page",
] as const;

/** Calls from the dialer and waits for the answer. Works in every language. */
export async function startCall(page: Page): Promise<void> {
  if (new URL(page.url()).pathname !== "/dialer") await page.goto("/dialer");
  await page.locator(NUMBER).fill(ECHO_LINE);
  await page.locator(CALL_NOW).click();
  await expect(page.locator(`${CALL_STATUS} > i`)).toBeVisible();
}

export async function endCall(page: Page): Promise<void> {
  await page.locator(HANG_UP).click();
  await backToPad(page);
}

/** Waits for the outcome of the call, and closes it. */
export async function backToPad(page: Page): Promise<void> {
  await expect(page.locator(AFTER_CALL)).toBeVisible();
  await page.locator(`${AFTER_CALL} > div:first-child > button`).click();
  await expect(page.locator(CALL_NOW)).toBeVisible();
}

/** Waits until the page shows that its call is over: a message for two seconds, then the outcome in the pad's place. */
export async function expectCallOver(page: Page): Promise<void> {
  await expect(page.getByText("Call Ended", { exact: true }).or(page.locator(AFTER_CALL)).first()).toBeVisible();
}

/** Opens a page and waits until it has loaded: its heading is visible, and no placeholder is. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.locator("h1").first()).toBeAttached();
  // The app replaces the frame that the build drew: an element of it is soon gone.
  await expect(page.locator("[data-placeholder], [data-shell]")).toHaveCount(0);
  await page.evaluate(() => document.fonts.ready);
}

/**
 * How far the page scrolls horizontally and which elements overflow, as a readable line; "" if it does not. A page that is
 * still being laid out for another width or language gets two seconds.
 */
export async function sidewaysScroll(page: JudgedPage): Promise<string> {
  return await page.evaluate(async () => {
    const root = document.documentElement;
    for (let frame = 0; frame < 120 && root.scrollWidth > root.clientWidth; frame += 1)
      await new Promise((next) => requestAnimationFrame(next));
    if (root.scrollWidth <= root.clientWidth) return "";
    const wide = [...document.querySelectorAll("body *")].filter((element) => {
      const { left, right } = element.getBoundingClientRect();
      return right > root.clientWidth + 0.5 || left < -0.5;
    });
    const names = wide.slice(0, 8).map((element) => `${element.tagName}.${element.getAttribute("class") ?? ""}`);
    return `${root.scrollWidth - root.clientWidth} px: ${names.join(", ")}`;
  });
}

/** Stores a language choice in the browser, as the page's select does. */
export async function prefer(page: Page, { language }: { language: string }): Promise<void> {
  await page.evaluate((chosen) => localStorage.setItem("language", chosen), language);
}

const NS_BINDING_ABORTED = 0x80_4b_00_02;

/** Collects content security policy violations and uncaught errors that the browser reports. */
export function watchForViolations(page: Page): string[] {
  const heard: string[] = [];
  page.on("console", (message) => {
    if (/Content Security Policy|Trusted(Script|HTML|Type)/i.test(message.text())) heard.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", ({ message }) => {
    // Firefox reports the fonts that a page was still loading when it was left.
    if (!message.includes(`status=${NS_BINDING_ABORTED}`)) heard.push(`${page.url()}: ${message}`);
  });
  return heard;
}
