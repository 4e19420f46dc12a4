import type { Language } from "@farline/domain/languages.ts";
import { expect, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { giveTestCredit, signUp } from "../support/customer.ts";
import { hiddenParts, largeTextFaults, layoutFaults } from "../support/layout/faults.ts";
import { enlargeText, LANGUAGES, speak, TEXT_SIZES } from "../support/layout/states.ts";
import { backToPad, open } from "../support/screens.ts";
import { ECHO_LINE } from "../support/phone-network.ts";
import {
  AFTER_CALL,
  BESIDE_CALL_NOW,
  BOARD,
  CALL,
  CALLEE,
  CALL_NOW,
  CALL_STATUS,
  CONTROLS,
  HANG_UP,
  LAST_CHARGE,
  LOW_CREDIT_NOTICE,
  NUMBER,
  SOUND_NOTICE,
} from "../support/parts.ts";

const SMALL_PHONE = { width: 360, height: 640 };
const OTHER_SCREENS = [
  { width: 390, height: 844 },
  { width: 768, height: 1024 },
  { width: 1024, height: 768 },
  { width: 1440, height: 900 },
];

/** The screens and languages that a test checks. */
interface Sample {
  readonly screens: readonly (typeof SMALL_PHONE)[];
  readonly languages: readonly Language[];
}

interface LargeText {
  /** Per cent of the usual text size. */
  readonly sizes: readonly number[];
  readonly screens: readonly (typeof SMALL_PHONE)[];
}

const BUSY_WITH_EXTENSION = "+442079460486,,123456";
/** A number that the dialer refuses with a message. */
const TOO_EXPENSIVE = "+24765001";
/** Numbers by the hours of UTC, from 22 to 4, to 13 and to 22, at which it is night there. */
const AT_NIGHT = { GH: "+233302000000", MX: "+525550000000", JP: "+81312340000" };
/** Two minutes to the called lines: the call is low on credit from its first second. */
const LOW_CREDIT = "0.02";

/** Elements that must be fully visible on any screen without scrolling. */
const DIALER = [CALL_NOW, BESIDE_CALL_NOW];
const OUTCOME = [`${AFTER_CALL} :is(h2, p, a, button)`];
/** The step that most probably follows a call. */
const NEXT_STEP = `${AFTER_CALL} > div:last-child > :first-child`;
const IN_CALL = [
  ...[CALL_STATUS, CALLEE, "[role=timer]", `${CALL} dd`, `${CALL} strong`, `${LOW_CREDIT_NOTICE} > *`, SOUND_NOTICE],
  ...["[data-keypad] [role=group] > button", CONTROLS, HANG_UP],
];
const TOP_UP = ["dialog:modal button"];

const NIGHT = `${BOARD} p[data-night]`;

const number = (page: Page) => page.locator(NUMBER);

/** Checks one state of the page on all screens in all languages of the sample. */
async function inLanguages(
  page: Page,
  where: string,
  { screens, languages, parts }: Sample & { readonly parts: readonly string[] },
  prepare: () => Promise<unknown> = async () => undefined,
): Promise<string[]> {
  const found: string[] = [];
  for (const language of languages) {
    await speak(page, language);
    for (const screen of screens) {
      await page.setViewportSize(screen);
      await page.evaluate(() => window.scrollTo(0, 0));
      await prepare();
      const name = `${where} in ${language}`;
      found.push(...(await layoutFaults(page, name)), ...(await hiddenParts(page, name, parts)));
    }
  }
  return found;
}

function numberAtNight(hour: number): string {
  if (hour < 4 || hour >= 22) return AT_NIGHT.GH;
  return hour < 13 ? AT_NIGHT.MX : AT_NIGHT.JP;
}

async function faultsOfDialer(page: Page, sample: Sample): Promise<string[]> {
  const call = page.locator(CALL_NOW);
  const found = await inLanguages(page, "the dialer", { ...sample, parts: DIALER });
  await number(page).fill(TOO_EXPENSIVE);
  await expect(page.locator(`${BOARD} > p`)).toBeVisible();
  await expect(call).toBeDisabled();
  found.push(...(await inLanguages(page, "a refused call", { ...sample, parts: DIALER })));
  await number(page).fill(numberAtNight(new Date().getUTCHours()));
  await expect(page.locator(NIGHT)).toBeVisible();
  found.push(...(await inLanguages(page, "a number where it is night", { ...sample, parts: [...DIALER, `${NIGHT} > span`] })));
  await number(page).fill(BUSY_WITH_EXTENSION);
  await call.click();
  await expect(page.locator(LAST_CHARGE)).toBeAttached();
  found.push(...(await inLanguages(page, "after a busy line, with an extension", { ...sample, parts: OUTCOME })));
  return found;
}

/** Does something while no speaker is connected, which the call's view says. */
async function withoutSpeaker(page: Page, work: () => Promise<void>): Promise<void> {
  await page.evaluate(() => {
    const devices = navigator.mediaDevices;
    const all = devices.enumerateDevices.bind(devices);
    devices.enumerateDevices = async () => (await all()).filter(({ kind }) => kind !== "audiooutput");
    devices.dispatchEvent(new Event("devicechange"));
  });
  await expect(page.locator(SOUND_NOTICE)).toBeVisible();
  await work();
  await page.evaluate(() => {
    Reflect.deleteProperty(navigator.mediaDevices, "enumerateDevices");
    navigator.mediaDevices.dispatchEvent(new Event("devicechange"));
  });
  await expect(page.locator(SOUND_NOTICE)).toBeHidden();
}

async function faultsInCall(page: Page, sample: Sample): Promise<string[]> {
  await backToPad(page);
  await number(page).fill(ECHO_LINE);
  await page.locator(CALL_NOW).click();
  await expect(page.locator(LOW_CREDIT_NOTICE)).toBeVisible();
  const found: string[] = [];
  const mute = page.locator(CONTROLS).first();
  const message = async () => {
    await mute.click();
    await expect(page.locator("[data-kind=success]:not([data-leaving])")).toBeVisible();
  };
  found.push(...(await inLanguages(page, "a call low on credit, with a message", { ...sample, parts: IN_CALL }, message)));
  await withoutSpeaker(page, async () => {
    found.push(...(await inLanguages(page, "a call low on credit that is not heard", { ...sample, parts: IN_CALL })));
  });
  const keypad = page.locator(CONTROLS).nth(2);
  await keypad.click();
  found.push(...(await inLanguages(page, "the keypad in a call", { ...sample, parts: IN_CALL })));
  await withoutSpeaker(page, async () => {
    found.push(...(await inLanguages(page, "the keypad in a call that is not heard", { ...sample, parts: IN_CALL })));
  });
  await keypad.click();
  for (const screen of sample.screens) {
    await page.setViewportSize(screen);
    await page.locator(`${LOW_CREDIT_NOTICE} > button`).click();
    await expect(page.locator("dialog:modal li button").first()).toBeVisible();
    found.push(
      ...(await layoutFaults(page, "topping up in a call")),
      ...(await hiddenParts(page, "topping up in a call", TOP_UP)),
    );
    await page.keyboard.press("Escape");
  }
  await page.setViewportSize(SMALL_PHONE);
  await page.locator(HANG_UP).click();
  await expect(page.locator(HANG_UP)).toBeDisabled();
  const ended = await page.locator(CALL).boundingBox();
  if (ended?.width !== SMALL_PHONE.width) found.push(`the view of an ended call is ${ended?.width} px wide`);
  await expect(page.locator(LAST_CHARGE)).toBeAttached();
  found.push(...(await inLanguages(page, "after a call", { ...sample, parts: OUTCOME })));
  return found;
}

async function faultsOn(page: Page, sample: Sample): Promise<string[]> {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await signUp(page);
  await giveTestCredit(page, LOW_CREDIT);
  await open(page, "/dialer");
  return [...(await faultsOfDialer(page, sample)), ...(await faultsInCall(page, sample))];
}

test("on a small phone Call Now, Hang Up, amounts and messages fit in the longest language", async ({ page }) => {
  expect(await faultsOn(page, { screens: [SMALL_PHONE], languages: ["fr"] })).toEqual([]);
});

/** Checks the open page at large text sizes, then restores the usual one. */
async function atLargeText(
  page: Page,
  where: string,
  { sizes, screens, buttons }: LargeText & { readonly buttons: readonly string[] },
): Promise<string[]> {
  const found: string[] = [];
  for (const size of sizes) {
    for (const screen of screens) {
      await page.setViewportSize(screen);
      await enlargeText(page, size);
      found.push(...(await largeTextFaults(page, `${where} at ${size} %`, buttons)));
    }
  }
  await enlargeText(page, 100);
  return found;
}

/** The dialer and a call low on credit, with and without its keypad. */
async function faultsOfLargeText(page: Page, sample: LargeText): Promise<string[]> {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await signUp(page);
  await giveTestCredit(page, LOW_CREDIT);
  await open(page, "/dialer");
  await number(page).fill(ECHO_LINE);
  const dialer = { ...sample, buttons: [CALL_NOW] };
  const inCall = { ...sample, buttons: [HANG_UP] };
  const found = await atLargeText(page, "the dialer", dialer);
  await page.locator(CALL_NOW).click();
  await expect(page.locator(LOW_CREDIT_NOTICE)).toBeVisible();
  found.push(...(await atLargeText(page, "a call low on credit", inCall)));
  await page.locator(CONTROLS).nth(2).click();
  found.push(...(await atLargeText(page, "the keypad in a call", inCall)));
  await page.locator(HANG_UP).click();
  await expect(page.locator(LAST_CHARGE)).toBeAttached();
  return [...found, ...(await atLargeText(page, "after a call", { ...sample, buttons: [NEXT_STEP] }))];
}

test("at 200 % text size Call Now and Hang Up stay fully visible, and nothing scrolls horizontally", async ({ page }) => {
  expect(await faultsOfLargeText(page, { sizes: [200], screens: [SMALL_PHONE] })).toEqual([]);
});

test("the dialer and a call are usable at every large text size", { tag: "@full" }, async ({ page }) => {
  expect(await faultsOfLargeText(page, { sizes: TEXT_SIZES, screens: [SMALL_PHONE, ...OTHER_SCREENS] })).toEqual([]);
});

test("on a tablet the keys of a call stay where they are when something appears above them", async ({ page }) => {
  await page.setViewportSize({ width: 768, height: 1024 });
  await signUp(page);
  await giveTestCredit(page, "5");
  await open(page, "/dialer");
  await number(page).fill(ECHO_LINE);
  await page.locator(CALL_NOW).click();
  await expect(page.locator(`${CALL_STATUS} > i`)).toBeVisible();
  const before = await page.locator(HANG_UP).boundingBox();
  await page.locator(CONTROLS).nth(2).click();
  await expect(page.locator("[data-keypad]")).toBeVisible();
  expect(await page.locator(HANG_UP).boundingBox()).toEqual(before);
});

test("the dialer and a call fit every screen in every language", { tag: "@full" }, async ({ page }) => {
  expect(await faultsOn(page, { screens: [SMALL_PHONE, ...OTHER_SCREENS], languages: LANGUAGES })).toEqual([]);
});
