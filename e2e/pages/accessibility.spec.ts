import { languages as LANGUAGES, writing } from "@farline/domain/languages.ts";
import { expect, type Page } from "@playwright/test";
import { TOTP } from "otpauth";
import { faultsInBothThemes, faultsNow, faultsOf } from "../support/axe.ts";
import { enterPassword, giveTestCredit, PASSWORD, signUp } from "../support/customer.ts";
import { test } from "../support/everything.ts";
import { cutTexts, hiddenParts } from "../support/layout/faults.ts";
import { enlargeText } from "../support/layout/states.ts";
import {
  backToPad,
  endCall,
  open,
  prefer,
  sidewaysScroll,
  startCall,
  visitorPaths,
  watchForViolations,
} from "../support/screens.ts";
import { ECHO_LINE } from "../support/phone-network.ts";
import {
  AFTER_CALL,
  BESIDE_CALL_NOW,
  CALL_NOW,
  CONTROLS,
  DIAL_KEYS,
  HANG_UP,
  LANGUAGE_CHOICE,
  MENU,
  NUMBER,
  PREFERENCES,
} from "../support/parts.ts";

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1440, height: 900 };
const SMALL_PHONE = { width: 360, height: 740 };
/** The CSS pixels left on a desktop of 1280 x 900 at 200 % and at 400 % zoom (WCAG 1.4.4 and 1.4.10). */
const ZOOMED_TWICE = { width: 640, height: 450 };
const ZOOMED_FOUR_TIMES = { width: 320, height: 256 };

test("axe finds nothing on a sample of pages, and in Arabic none of them scrolls horizontally", async ({ page }) => {
  const found: string[] = [];
  await page.setViewportSize(SMALL_PHONE);
  await page.emulateMedia({ reducedMotion: "reduce" });
  const look = async (path: string) => {
    await open(page, path);
    found.push(...(await faultsNow(page, path)));
    const sideways = await sidewaysScroll(page);
    if (sideways) found.push(`${path} scrolls sideways, ${sideways}`);
  };
  await look("/register");
  await signUp(page);
  await prefer(page, { language: "ar" });
  for (const path of ["/dialer", "/topup", "/account"]) await look(path);
  expect(found).toEqual([]);
});

test("forced colours draw a border around the dialer's buttons, and at 400 % zoom no bar covers the number", async ({ page }) => {
  await signUp(page);
  await page.emulateMedia({ forcedColors: "active" });
  await open(page, "/dialer");
  const borderless = await page
    .locator(`${CALL_NOW}, ${BESIDE_CALL_NOW}, ${DIAL_KEYS}`)
    .evaluateAll((buttons) =>
      buttons.filter((one) => getComputedStyle(one).borderTopWidth !== "1px").map((one) => one.textContent),
    );
  expect(borderless).toEqual([]);
  for (const path of ["/billing", "/topup", "/contacts"]) {
    await open(page, path);
    const unmarked = await page
      .locator('main [aria-pressed="true"], main button[aria-current], main label:has(> :checked)')
      .evaluateAll((all) => all.filter((one) => getComputedStyle(one).outlineStyle === "none").map((one) => one.textContent));
    expect(unmarked, path).toEqual([]);
  }
  await open(page, "/dialer");
  await page.emulateMedia({ forcedColors: "none" });
  await page.setViewportSize(ZOOMED_FOUR_TIMES);
  await page.locator(NUMBER).focus();
  expect(await hiddenParts(page, "the dialer", [NUMBER])).toEqual([]);
});

test("at 200 % text size no text is cut, and none leaves its key, on a sample of pages and languages", async ({ page }) => {
  await page.setViewportSize(SMALL_PHONE);
  await page.emulateMedia({ reducedMotion: "reduce" });
  const found: string[] = [];
  const look = async (language: string, paths: readonly string[]) => {
    await prefer(page, { language });
    for (const path of paths) {
      await open(page, path);
      await enlargeText(page, 200);
      found.push(...(await cutTexts(page, `${path} in ${language}`)));
    }
  };
  await open(page, "/login");
  await look("fr", ["/login"]);
  await prefer(page, { language: "en" });
  await signUp(page);
  await giveTestCredit(page, "5");
  await look("fr", ["/dialer", "/topup", "/history", "/contacts"]);
  await look("hi", ["/dialer"]);
  await look("ar", ["/dialer", "/topup"]);
  expect(found).toEqual([]);
});

test("axe finds nothing on the sign-in pages, including the second factor", { tag: "@full" }, async ({ page }) => {
  const violations = watchForViolations(page);
  const found: string[] = [];
  const look = async (where: string) => {
    found.push(...(await faultsOf(page, where)));
    await page.setViewportSize(SMALL_PHONE);
    const sideways = await sidewaysScroll(page);
    if (sideways) found.push(`${where} scrolls sideways, ${sideways}`);
  };
  for (const path of visitorPaths) {
    await open(page, path);
    await look(path);
  }
  const email = await signUp(page);
  await page.goto("/account");
  await page.getByRole("button", { name: "Set up an app" }).click();
  const field = page.getByLabel("Code from the app");
  await expect(field).toBeVisible();
  for (const name of ["Change email", "Change password", "Add a passkey", "Add your number"])
    await page.getByRole("button", { name }).click();
  await look("/account with every form open");
  await field.fill(new TOTP({ secret: (await page.locator("main code").innerText()).replaceAll(/\s/g, "") }).generate());
  await page.getByRole("button", { name: "Turn on" }).click();
  await expect(page.getByRole("heading", { name: "Your recovery codes" })).toBeVisible();
  await look("the recovery codes");

  await page.evaluate(() => localStorage.removeItem("token"));
  await page.goto("/login");
  await enterPassword(page, email);
  await expect(page.getByRole("heading", { name: "One more step" })).toBeVisible();
  await look("the second step");
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByLabel("Recovery code").fill("not a code");
  await page.getByRole("button", { name: "Sign In", exact: true }).click();
  await expect(page.getByText("This code is wrong.")).toBeVisible();
  await look("the second step by recovery code, refused");
  expect(found).toEqual([]);
  expect(violations).toEqual([]);
});

test("axe finds nothing on any signed-in page", { tag: "@full" }, async ({ everything: { page, paths, violations } }) => {
  const found: string[] = [];
  for (const path of paths) {
    await open(page, path);
    found.push(...(await faultsOf(page, path)));
  }
  await page.getByRole("button", { name: "Menu" }).click();
  found.push(...(await faultsInBothThemes(page, "the open menu")));
  await page.setViewportSize(DESKTOP);
  await page.locator(PREFERENCES).click();
  found.push(...(await faultsInBothThemes(page, "the open preferences")));
  expect(found).toEqual([]);
  expect(violations).toEqual([]);
});

test("axe finds nothing during a call", { tag: "@full" }, async ({ everything: { page, violations } }) => {
  const found: string[] = [];
  await startCall(page);
  for (const [screen, viewport] of [
    ["desktop", DESKTOP],
    ["phone", PHONE],
  ] as const) {
    await page.setViewportSize(viewport);
    await page.getByRole("button", { name: "Mute" }).click();
    const toast = page.locator("[data-kind=success]").first();
    await expect(toast).toBeVisible();
    // Hovering keeps it on screen.
    await toast.hover();
    found.push(...(await faultsInBothThemes(page, `in a call, with a message, ${screen}`)));
  }
  await page.getByRole("button", { name: "Sound" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  found.push(...(await faultsOf(page, "the sound devices in a call")));
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Keypad" }).click();
  found.push(...(await faultsOf(page, "the keypad in a call")));
  await page.locator(HANG_UP).click();
  await expect(page.locator(AFTER_CALL)).toBeVisible();
  found.push(...(await faultsOf(page, "after a call")));
  await backToPad(page);
  expect(found).toEqual([]);
  expect(violations).toEqual([]);
});

test(
  "axe finds nothing in the dialogs and forms that open over a page",
  { tag: "@full" },
  async ({ everything: { page, violations } }) => {
    const found: string[] = [];
    const look = async (where: string) => {
      await expect(page.getByRole("dialog")).toBeVisible();
      found.push(...(await faultsOf(page, where)));
      await page.keyboard.press("Escape");
      await expect(page.getByRole("dialog")).toHaveCount(0);
    };
    await open(page, "/contacts");
    await page.getByRole("button", { name: "Add Contact" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Enter a first name.")).toBeVisible();
    await look("the form of a contact, refused");
    await page.getByRole("button", { name: /^Tone Line,/ }).click();
    found.push(...(await faultsOf(page, "the sheet of a contact")));
    await page.getByRole("button", { name: "Delete Tone Line" }).click();
    await look("the question before a contact is deleted");
    const files = page.getByRole("button", { name: "More: Import, Export" });
    await files.click();
    await page.getByRole("button", { name: "Export", exact: true }).click();
    await look("the export of contacts");
    await files.click();
    await page.getByRole("button", { name: "Import", exact: true }).click();
    const file = { name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(PEOPLE) };
    await page.getByRole("dialog").locator("input[type=file]").setInputFiles(file);
    await expect(page.getByText("1 contact will be imported. 1 is skipped.")).toBeVisible();
    await look("the preview of an import");

    await open(page, "/dialer");
    await page.getByRole("button", { name: /sound/i }).click();
    await look("the sound devices before a call");
    await open(page, "/billing");
    const withdrawal = page.getByRole("region", { name: "Withdraw unused credit" });
    await withdrawal.getByLabel("Amount").fill("1");
    await withdrawal.getByRole("button", { name: "Withdraw" }).click();
    await look("the question before a withdrawal");
    expect(found).toEqual([]);
    expect(violations).toEqual([]);
  },
);

/** One row that can be imported and one that cannot. */
const PEOPLE = "First Name,Mobile Phone\nPriya,+919800000142\nNobody,\n";

/** Chooses the language with the page's select: at the foot of a visitor's page, in a customer's open menu. */
async function choose(page: Page, language: string): Promise<void> {
  await page.locator(LANGUAGE_CHOICE).first().selectOption(language);
}

/** For pages without the select. */
async function chooseElsewhere(page: Page, language: string): Promise<void> {
  await prefer(page, { language });
  await page.reload();
  await expect(page.locator("h1")).toBeVisible();
}

/** Texts and labels that look like catalogue keys, which pages show instead of missing texts. */
async function missingTexts(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const texts = [...document.querySelectorAll("body *")].flatMap((element) => [
      element.getAttribute("aria-label") ?? "",
      element.getAttribute("placeholder") ?? "",
      ...[...element.childNodes].map((node) => (node.nodeType === Node.TEXT_NODE ? (node.textContent ?? "").trim() : "")),
    ]);
    return texts.filter((text) => /^(?:[a-zA-Z]+:)?[a-z]\w*(?:\.\w+)+$/.test(text));
  });
}

/** During a call on a phone the call fills the screen, so the bar with the select is hidden. */
async function chooseBesideCall(page: Page, language: string): Promise<void> {
  await page.setViewportSize(DESKTOP);
  await page.locator(PREFERENCES).click();
  await choose(page, language);
  await page.keyboard.press("Escape");
  await page.setViewportSize(SMALL_PHONE);
}

/** Faults of the open page in every language: its direction, missing texts, horizontal overflow. */
async function wrongInLanguages(page: Page, where: string, speak = choose): Promise<string[]> {
  const wrong: string[] = [];
  for (const language of LANGUAGES) {
    await speak(page, language);
    await expect(page.locator("html")).toHaveAttribute("lang", language);
    await expect(page.locator("html")).toHaveAttribute("dir", writing[language].direction);
    wrong.push(...(await missingTexts(page)).map((text) => `${where} in ${language} lacks ${text}`));
    for (const viewport of [PHONE, ZOOMED_TWICE, ZOOMED_FOUR_TIMES, SMALL_PHONE]) {
      await page.setViewportSize(viewport);
      const sideways = await sidewaysScroll(page);
      if (sideways) wrong.push(`${where} in ${language} at ${viewport.width}, ${sideways}`);
    }
  }
  return wrong;
}

test(
  "in every language no page scrolls horizontally at 360 and 390 pixels, nor zoomed to 200 and 400 %, and no text is missing",
  { tag: "@full" },
  async ({ everything: { page, paths, violations } }) => {
    const wrong: string[] = [];
    await page.setViewportSize(SMALL_PHONE);
    for (const path of paths) {
      await open(page, path);
      await page.locator(MENU).click();
      wrong.push(...(await wrongInLanguages(page, path)));
    }
    await startCall(page);
    wrong.push(...(await wrongInLanguages(page, "in a call", chooseBesideCall)));
    await page.locator(CONTROLS).nth(2).click();
    wrong.push(...(await wrongInLanguages(page, "the keypad in a call", chooseBesideCall)));
    await chooseBesideCall(page, "en");
    await endCall(page);
    expect(wrong).toEqual([]);
    expect(violations).toEqual([]);
  },
);

test("in every language no visitor's page scrolls horizontally, and no text is missing", { tag: "@full" }, async ({ page }) => {
  const wrong: string[] = [];
  await page.setViewportSize(SMALL_PHONE);
  for (const path of visitorPaths) {
    await open(page, path);
    wrong.push(...(await wrongInLanguages(page, path, path === "/no-such-page" ? chooseElsewhere : choose)));
  }
  expect(wrong).toEqual([]);
});

/** Presses Tab until `reached` holds for the focus, and checks that every stop on the way is visible. */
async function tabTo(page: Page, what: string, reached: (element: Element) => boolean): Promise<void> {
  const MAX_STOPS = 60;
  for (let stop = 0; stop < MAX_STOPS; stop += 1) {
    await page.keyboard.press("Tab");
    const unseen = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === null || element === document.body) return null;
      const shown = [element, element.closest("form > div"), element.nextElementSibling].filter((one) => one !== null);
      return shown.some((one) => getComputedStyle(one).outlineStyle !== "none") ? null : element.outerHTML.slice(0, 200);
    });
    expect(unseen, `the focus on the way to ${what} is visible`).toBeNull();
    if (await page.evaluate(`(${reached.toString()})(document.activeElement)`)) return;
  }
  throw new Error(`${what} was not reached with ${MAX_STOPS} presses of Tab.`);
}

test("signing up, calling, hanging up and reading the charge work with the keyboard alone", async ({ page }) => {
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
  await expect(page.getByLabel("Code from the email")).toBeFocused();
  await tabTo(page, "doing it later", (element) => element.textContent === "Do it later");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/dialer$/);
  await expect(page.getByRole("dialog").getByRole("button", { name: "Next" })).toBeFocused();
  await page.keyboard.press("Escape");
  await giveTestCredit(page, 5);
  await page.reload();

  await expect(page.getByLabel("Phone number")).toBeVisible();
  await tabTo(page, "the number", (element) => element.getAttribute("type") === "tel");
  await page.keyboard.type(ECHO_LINE);
  // The page that the build drew takes digits, and no calls.
  await expect(page.locator("[data-shell]")).toHaveCount(0);
  await page.keyboard.press("Enter");
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  await tabTo(page, "hanging up", (element) => element.textContent === "Hang Up");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  await expect(page.getByRole("button", { name: "Keypad" })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.keyboard.type("15#");
  await expect(page.locator("[data-keypad] p")).toContainText("15#");
  await tabTo(page, "hanging up", (element) => element.textContent === "Hang Up");
  await page.keyboard.press("Enter");
  await expect(page.locator(`${AFTER_CALL} h2`)).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Call Now" })).toBeVisible();

  await page.goto("/history");
  await expect(page.locator('a[href^="/call/"]').first()).toBeVisible();
  await tabTo(page, "the call", (element) => element.getAttribute("href")?.startsWith("/call/") === true);
  await page.keyboard.press("Enter");
  await expect(page.getByText("The bill, step by step")).toBeVisible();
  await expect(page.locator("main")).toBeFocused();
  expect(violations).toEqual([]);
});
