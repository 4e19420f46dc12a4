import { expect, test, type Page } from "@playwright/test";
import { giveTestCredit, signUp } from "../support/customer.ts";
import { open } from "../support/screens.ts";
import { BESIDE_CALL_NOW, CALL_NOW, DIAL_KEYS, LAST_CHARGE, NUMBER } from "../support/parts.ts";

const SMALL_PHONE = { width: 360, height: 640 };
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };
const MIN_KEY_PX = 44;
const BUSY = "+442079460486";

/** Numbers to type; none of them may move a key. */
const TYPED = [
  "4",
  "447",
  "112",
  "+1 900 555 0123",
  "+447700900123",
  "2425550123",
  "020 7946 0000,,12#",
  "+5351234567",
  "12345678",
];

const keys = (page: Page) =>
  page.locator(`${DIAL_KEYS}, ${CALL_NOW}, ${BESIDE_CALL_NOW}`).evaluateAll((all) =>
    all.map((key) => {
      const { x, y, width, height } = key.getBoundingClientRect();
      return [key.textContent?.charAt(0), x, y + window.scrollY, width, height].join(" ");
    }),
  );

/** Types each number on each screen and checks after each step that no key has moved. */
async function expectStillKeys(page: Page, screens: readonly (typeof PHONE)[]): Promise<void> {
  await signUp(page);
  await open(page, "/dialer");
  // Above everything once the service has said that it is a sandbox.
  await expect(page.getByText("Sandbox — no real money, no real calls.")).toBeVisible();
  const field = page.locator(NUMBER);
  for (const screen of screens) {
    await page.setViewportSize(screen);
    await field.fill("");
    const before = await keys(page);
    const heights = before.slice(0, 12).map((key) => Number(key.split(" ").at(-1)));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(MIN_KEY_PX);
    for (const typed of TYPED) {
      await field.fill("");
      await field.pressSequentially(typed);
      expect(await keys(page), `${typed} at ${screen.width}`).toEqual(before);
      await page.keyboard.press("Enter");
      // The number is settled: its price or the reason for a refusal is shown.
      await expect(page.locator("main form > div").nth(1)).not.toBeEmpty();
      await expect(page.locator(CALL_NOW)).not.toHaveAttribute("aria-disabled", "true");
      expect(await keys(page), `${typed}, settled, at ${screen.width}`).toEqual(before);
    }
  }
}

test("no key of the pad moves while a number is typed, refused or ambiguous", async ({ page }) => {
  await expectStillKeys(page, [SMALL_PHONE, DESKTOP]);
});

test("no key of the pad moves on any screen", { tag: "@full" }, async ({ page }) => {
  await expectStillKeys(page, [SMALL_PHONE, PHONE, DESKTOP]);
});

test("no key of the pad moves when the charge of the last call arrives", async ({ page }) => {
  const charged = Promise.withResolvers<void>();
  await page.route(/\/api\/calls\/[\da-f-]{36}$/, async (route) => {
    await charged.promise;
    await route.continue();
  });
  await page.setViewportSize(SMALL_PHONE);
  await signUp(page);
  await giveTestCredit(page, "1");
  await open(page, "/dialer");
  await page.locator(NUMBER).fill(BUSY);
  await page.locator(CALL_NOW).click();
  await expect(page.getByText("Call ended. The charge follows in a moment.")).toBeVisible();
  const before = await keys(page);
  charged.resolve();
  await expect(page.locator(LAST_CHARGE)).toBeVisible();
  expect(await keys(page)).toEqual(before);
});
