import { AxeBuilder } from "@axe-core/playwright";
import { expect, test, type Page } from "@playwright/test";
import { giveTestCredit, PASSWORD, signUp } from "./customer.ts";
import {
  customerWithEverything,
  endCall,
  open,
  prefer,
  sidewaysScroll,
  startCall,
  TONE_LINE,
  visitorPaths,
  watchForViolations,
} from "./screens.ts";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };
const SMALL_PHONE = { width: 360, height: 740 };
/** A desktop of 1280 x 900 at 200 % and at 400 % (WCAG 1.4.4 and 1.4.10): the page has this many CSS pixels left. */
const ZOOMED_TWICE = { width: 640, height: 450 };
const ZOOMED_FOUR_TIMES = { width: 320, height: 256 };

/** What axe has against the page, one line for each fault. */
async function faults(page: Page, where: string): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${where}: ${id}: ${node.target.join(" ")}: ${node.html.slice(0, 120)}`),
  );
}

for (const theme of ["light", "dark"]) {
  for (const [screen, viewport] of [
    ["a phone", PHONE],
    ["a desktop", DESKTOP],
  ] as const) {
    test(`axe finds nothing on any page, ${theme}, on ${screen}`, async ({ page }) => {
      test.setTimeout(240_000);
      const violations = watchForViolations(page);
      await page.setViewportSize(viewport);
      const found: string[] = [];
      await page.goto("/login");
      await prefer(page, { theme });
      for (const path of visitorPaths) {
        await open(page, path);
        found.push(...(await faults(page, path)));
      }
      const { paths } = await customerWithEverything(page);
      await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
      for (const path of paths) {
        await open(page, path);
        found.push(...(await faults(page, path)));
      }
      await page.goto("/dialer");
      await page.locator(viewport === PHONE ? ".appbar__menu" : ".appbar__prefs button").click();
      found.push(...(await faults(page, "the open menu")));
      await startCall(page);
      await page.locator(".ctl").first().click();
      await expect(page.locator(".toast--success").first()).toBeVisible();
      found.push(...(await faults(page, "in a call, with a message")));
      await page.locator(".ctl").nth(1).click();
      found.push(...(await faults(page, "the keypad in a call")));
      await endCall(page);
      expect(found).toEqual([]);
      expect(violations).toEqual([]);
    });
  }
}

for (const language of ["en", "es", "fr", "hi", "ar"]) {
  test(`no page scrolls sideways in ${language} at 360 and 390 pixels, nor zoomed to 200 and 400 %`, async ({ page }) => {
    test.setTimeout(240_000);
    const { paths } = await customerWithEverything(page);
    await prefer(page, { language });
    const wide: string[] = [];
    for (const path of paths) {
      await page.setViewportSize(SMALL_PHONE);
      await open(page, path);
      await expect(page.locator("html")).toHaveAttribute("lang", language);
      for (const viewport of [SMALL_PHONE, PHONE, ZOOMED_TWICE, ZOOMED_FOUR_TIMES]) {
        await page.setViewportSize(viewport);
        if ((await sidewaysScroll(page)) > 0) wide.push(`${path} at ${viewport.width}`);
      }
    }
    await page.setViewportSize(SMALL_PHONE);
    await startCall(page);
    if ((await sidewaysScroll(page)) > 0) wide.push("in a call");
    await page.locator(".ctl").nth(1).click();
    if ((await sidewaysScroll(page)) > 0) wide.push("the keypad in a call");
    await endCall(page);
    await page.evaluate(() => localStorage.removeItem("token"));
    for (const path of visitorPaths) {
      await open(page, path);
      if ((await sidewaysScroll(page)) > 0) wide.push(path);
    }
    expect(wide).toEqual([]);
  });
}

/** Presses Tab until the focus is where `reached` says, and checks that every stop on the way can be seen. */
async function tabTo(page: Page, what: string, reached: (element: Element) => boolean): Promise<void> {
  const MAX_STOPS = 60;
  for (let stop = 0; stop < MAX_STOPS; stop += 1) {
    await page.keyboard.press("Tab");
    const seen = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === null || element === document.body) return true;
      const shown = [element, element.closest(".numfield"), element.nextElementSibling].filter((one) => one !== null);
      return shown.some((one) => getComputedStyle(one).outlineStyle !== "none");
    });
    expect(seen, `the focus on the way to ${what} is visible`).toBe(true);
    if (await page.evaluate(`(${reached.toString()})(document.activeElement)`)) return;
  }
  throw new Error(`${what} was not reached with ${MAX_STOPS} presses of Tab.`);
}

test("signing up, calling, hanging up and reading the charge need no more than a keyboard", async ({ page }) => {
  const violations = watchForViolations(page);
  await page.goto("/register");
  await expect(page.getByLabel("Full Name")).toBeVisible();
  await tabTo(page, "the name", (element) => element.getAttribute("autocomplete") === "name");
  await page.keyboard.type("Grace Mensah");
  await tabTo(page, "the email", (element) => element.getAttribute("type") === "email");
  await page.keyboard.type(`keys-${process.pid}-${Date.now()}@example.com`);
  await tabTo(page, "the password", (element) => element.getAttribute("autocomplete") === "new-password");
  await page.keyboard.type(PASSWORD);
  await tabTo(page, "the password again", (element) => element.getAttribute("autocomplete") === "new-password");
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/dialer$/);
  await giveTestCredit(page, 5);
  await page.reload();

  await expect(page.getByLabel("Phone number")).toBeVisible();
  await tabTo(page, "the number", (element) => element.getAttribute("type") === "tel");
  await page.keyboard.type(TONE_LINE);
  await page.keyboard.press("Enter");
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: "Hang Up" })).toBeFocused();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  await expect(page.getByRole("button", { name: "Keypad" })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.type("15#");
  await expect(page.locator(".incall__digits")).toContainText("15#");
  await tabTo(page, "hanging up", (element) => element.classList.contains("btn--end"));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Call Now" })).toBeVisible();

  await page.goto("/history");
  await expect(page.locator('a[href^="/call/"]').first()).toBeVisible();
  await tabTo(page, "the call", (element) => element.getAttribute("href")?.startsWith("/call/") === true);
  await page.keyboard.press("Enter");
  await expect(page.getByText("How this was charged")).toBeVisible();
  await expect(page.locator("main")).toBeFocused();
  expect(violations).toEqual([]);
});

test("the skip link is the first stop and leads to the content", async ({ page }) => {
  await signUp(page);
  await page.reload();
  await expect(page.locator("h1").first()).toBeAttached();
  await page.keyboard.press("Tab");
  await expect(page.locator(".skip")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator("#main")).toBeFocused();
});
