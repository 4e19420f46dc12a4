import { expect, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { giveTestCredit, signUp } from "../support/customer.ts";
import { open } from "../support/screens.ts";
import {
  BESIDE_CALL_NOW,
  BOARD,
  CALL_NOW,
  CALL_STATUS,
  CONTROLS,
  DIAL_KEYS,
  HANG_UP,
  LAST_CHARGE,
  LOW_CREDIT_NOTICE,
  NUMBER,
} from "../support/parts.ts";
import { ECHO_LINE } from "../support/phone-network.ts";

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

/** Where each key is on the screen, however far the page below the pad is scrolled: left, top, width and height in px. */
const keys = (page: Page) =>
  page.locator(`${DIAL_KEYS}, ${CALL_NOW}, ${BESIDE_CALL_NOW}`).evaluateAll((all) =>
    all.map((key) => {
      const { x, y, width, height } = key.getBoundingClientRect();
      return [x, y, width, height];
    }),
  );

type Places = readonly (readonly number[])[];

/** A page that is scrolled to its end stops at a whole pixel, although its content may not. */
const SAME_PX = 0.9;

function expectSame(now: Places, before: Places, when: string): void {
  const moved = now.flatMap((place, index) => {
    const was = before[index] ?? [];
    return place.every((px, side) => Math.abs(px - (was[side] ?? 0)) < SAME_PX) ? [] : [{ index, was, is: place }];
  });
  expect(moved, when).toEqual([]);
}

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
    const heights = before.slice(0, 12).map(([, , , height = 0]) => height);
    expect(before).toHaveLength(12 + 3);
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(MIN_KEY_PX);
    for (const typed of TYPED) {
      await field.fill("");
      await field.pressSequentially(typed);
      expectSame(await keys(page), before, `${typed} at ${screen.width}`);
      await page.keyboard.press("Enter");
      await expect(page.locator(CALL_NOW)).not.toHaveAttribute("aria-disabled", "true");
      expectSame(await keys(page), before, `${typed}, settled, at ${screen.width}`);
    }
  }
}

test("no key of the pad moves while a number is typed, refused or ambiguous", async ({ page }) => {
  await expectStillKeys(page, [SMALL_PHONE, DESKTOP]);
});

test("no key of the pad moves while the price of a pressed call is loading", async ({ page }) => {
  await signUp(page);
  await page.setViewportSize(SMALL_PHONE);
  await open(page, "/dialer");
  await expect(page.getByText("Sandbox — no real money, no real calls.")).toBeVisible();
  const before = await keys(page);
  const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
  await page.route("**/api/calls/quote", async (route) => {
    await isRead;
    await route.continue();
  });
  await page.locator(NUMBER).fill(BUSY);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Getting the price..." })).toBeVisible();
  expectSame(await keys(page), before, "while the price is loading");
  read();
  await expect(page.getByRole("button", { name: "Getting the price..." })).toHaveCount(0);
});

test("no key of the pad moves on any screen", { tag: "@full" }, async ({ page }) => {
  await expectStillKeys(page, [SMALL_PHONE, PHONE, DESKTOP]);
});

/** Every key and Call Now, hit in the middle: nothing lies over them, and none is outside the screen. */
async function expectReachable(page: Page, state: string): Promise<void> {
  const covered = await page.locator(`${DIAL_KEYS}, ${CALL_NOW}, ${BESIDE_CALL_NOW}`).evaluateAll((all) =>
    all
      .filter((key) => {
        const { x, y, width, height } = key.getBoundingClientRect();
        const hit = document.elementFromPoint(x + width / 2, y + height / 2);
        return y < 0 || y + height > window.innerHeight || hit === null || !key.contains(hit);
      })
      .map((key) => key.textContent),
  );
  expect(covered, state).toEqual([]);
}

test("all keys and the call button can be reached in every state, on both phones", async ({ page, context }) => {
  await signUp(page);
  for (const screen of [PHONE, SMALL_PHONE]) {
    await page.setViewportSize(screen);
    await open(page, "/dialer");
    const at = (state: string) => `${state} at ${screen.width}`;
    await expectReachable(page, at("empty"));
    await page.locator(NUMBER).fill("+233 20 000 0142");
    await expect(page.getByText(/^Free call to this number/)).toBeVisible();
    await expectReachable(page, at("confirm the address"));
    await page.locator(NUMBER).fill(BUSY);
    await expectReachable(page, at("number"));
    await context.setOffline(true);
    await expect(page.locator(BOARD).getByText("You are offline.")).toBeVisible();
    await expectReachable(page, at("offline"));
    await context.setOffline(false);
  }
});

test("after a call the outcome takes the pad's place, and Escape gives it back whole", async ({ page }) => {
  await page.setViewportSize(SMALL_PHONE);
  await signUp(page);
  await giveTestCredit(page, "1");
  await open(page, "/dialer");
  await page.locator(NUMBER).fill(BUSY);
  await page.locator(CALL_NOW).click();
  await expect(page.locator(LAST_CHARGE)).toBeVisible();
  await expect(page.getByRole("heading", { name: "The line was busy" })).toBeFocused();
  await expect(page.locator(CALL_NOW)).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(page.locator(CALL_NOW)).toBeVisible();
  await expectReachable(page, "after a call");
});

const TABLET = { width: 768, height: 1024 };
const LAPTOP = { width: 1280, height: 720 };
/** Two minutes to the called line: the call is low on credit from its first second. */
const LOW_CREDIT = "0.02";

/** Where Hang Up is on each screen in the call's present state. */
async function hangUpPlaces(page: Page): Promise<Places> {
  const places: number[][] = [];
  for (const screen of [SMALL_PHONE, PHONE, TABLET, LAPTOP, DESKTOP]) {
    await page.setViewportSize(screen);
    // The browser lays out for the new size in one of the next frames.
    await page.waitForFunction((width) => window.innerWidth === width, screen.width);
    await page.evaluate(() => new Promise((laidOut) => requestAnimationFrame(() => requestAnimationFrame(laidOut))));
    const box = await page.locator(HANG_UP).boundingBox();
    places.push([box?.x, box?.y, box?.width, box?.height].map((px) => px ?? -1));
  }
  return places;
}

/** Calls the echo line, and waits for the answer. */
async function startEchoCall(page: Page, credit: string): Promise<void> {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await signUp(page);
  await giveTestCredit(page, credit);
  await open(page, "/dialer");
  await page.locator(NUMBER).fill(ECHO_LINE);
  await page.locator(CALL_NOW).click();
  await expect(page.locator(`${CALL_STATUS} > i`)).toBeVisible();
}

for (const [state, credit] of [
  ["enough credit", "5"],
  ["low credit", LOW_CREDIT],
] as const)
  test(`Hang Up stays where it is with the keypad, on hold and after a reload, with ${state}`, async ({ page }) => {
    await startEchoCall(page, credit);
    await expect(page.locator(LOW_CREDIT_NOTICE)).toHaveCount(credit === LOW_CREDIT ? 1 : 0);
    const before = await hangUpPlaces(page);
    const [keypad, hold] = [page.locator(CONTROLS).nth(2), page.locator(CONTROLS).nth(3)];
    await keypad.click();
    await expect(page.locator("[data-keypad]")).toBeVisible();
    expectSame(await hangUpPlaces(page), before, "with the keypad");
    await keypad.click();
    await hold.click();
    await expect(page.getByText("The call still costs")).toBeVisible();
    expectSame(await hangUpPlaces(page), before, "on hold");
    await hold.click();
    await expect(hold).toHaveAttribute("aria-pressed", "false");
    await page.reload();
    await expect(page.getByText(/^You’re back in the call/)).toBeVisible();
    expectSame(await hangUpPlaces(page), before, "after a reload");
    await page.locator(HANG_UP).click();
  });
