import { expect, type Page } from "@playwright/test";

/** The sandbox's line that answers and plays a tone. */
export const TONE_LINE = "+442079460001";
/** The sandbox's line that answers and plays back what it hears: for tests that do not look at the call from its other side. */
export const ECHO_LINE = "+442079460000";

export const visitorPaths = [
  "/login",
  "/register",
  "/forgot-password",
  "/reset-password#t=x",
  "/verify-email#t=x",
  "/auth/google/callback?error=no",
  "/no-such-page",
] as const;

/** Calls from the dialer and waits until it is answered. In whatever language the page is. */
export async function startCall(page: Page): Promise<void> {
  if (new URL(page.url()).pathname !== "/dialer") await page.goto("/dialer");
  await page.locator(".numfield input").fill(ECHO_LINE);
  await page.locator(".dial .btn--call").click();
  await expect(page.locator(".call__dot")).toBeVisible();
}

export async function endCall(page: Page): Promise<void> {
  await page.locator(".incall .btn--end").click();
  await expect(page.locator(".dial .btn--call")).toBeVisible();
}

/** Waits until the page shows that its call is over: for two seconds in words, then by the dialer. */
export async function expectCallOver(page: Page): Promise<void> {
  const over = page.getByText("Call Ended", { exact: true }).or(page.getByRole("button", { name: "Call Now" }));
  await expect(over.first()).toBeVisible();
}

/** Opens a page and waits until it shows what it has to show: its heading, and nothing that still loads. */
export async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.locator("h1").first()).toBeAttached();
  await expect(page.locator(".late, .receipt__wait")).toHaveCount(0);
  await page.evaluate(() => document.fonts.ready);
}

/**
 * How far the page can be pushed sideways and what sticks out, as a line to read; "" when it cannot. A page that is
 * still being laid out for another width or language gets two seconds.
 */
export async function sidewaysScroll(page: Page): Promise<string> {
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

/** Chooses a language as the page's own select does: what the browser remembers. */
export async function prefer(page: Page, { language }: { language: string }): Promise<void> {
  await page.evaluate((chosen) => localStorage.setItem("language", chosen), language);
}

/** Collects what the browser says about the content security policy, and errors nobody caught. */
export function watchForViolations(page: Page): string[] {
  const heard: string[] = [];
  page.on("console", (message) => {
    if (/Content Security Policy|Trusted(Script|HTML|Type)/i.test(message.text())) heard.push(`${page.url()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => heard.push(`${page.url()}: ${error.message}`));
  return heard;
}
