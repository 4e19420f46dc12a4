import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { faultsOf } from "../support/axe.ts";
import { ask, consoleAddresses, fillTraffic, openConsolePage } from "../support/console-pages.ts";
import { signUp } from "../support/customer.ts";
import { openConsole } from "../support/operate.ts";
import { sidewaysScroll, watchForViolations } from "../support/screens.ts";

const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1440, height: 900 };
/** All pages in one test would take longer than a test may on a busy machine. */
const PARTS = [0, 1, 2, 3] as const;

/** A section that looks like a card, without the space of one. */
function isBare(section: Element): boolean {
  const { paddingTop, backgroundColor } = getComputedStyle(section);
  return paddingTop === "0px" && backgroundColor !== "rgba(0, 0, 0, 0)";
}

test(
  "no page of the console scrolls sideways on a phone, and none of its tables, however long the names",
  { tag: "@full" },
  async ({ page, browser }) => {
    await fillTraffic(await signUp(page));
    await ask(page);
    const console = await openConsole(browser, "grace", "/operator/overview");
    const found: string[] = [];
    const paths = await consoleAddresses(console);
    await console.setViewportSize(PHONE);
    for (const path of paths) {
      await openConsolePage(console, path);
      // Styles of components come after the reset, whichever page is loaded first.
      for (const card of await console.locator("main > section, main > * > section").all())
        if (await card.evaluate(isBare)) found.push(`${path} has a bare card`);
      for (const table of await console.locator("main [role=region]:has(table):visible").all())
        if (await table.evaluate((element) => element.scrollWidth > element.clientWidth))
          found.push(`${path}: the table ${await table.getAttribute("aria-label")} scrolls sideways`);
      const sideways = await sidewaysScroll(console);
      if (sideways !== "") found.push(`${path} scrolls sideways, ${sideways}`);
    }
    expect(found).toEqual([]);
  },
);

test("text at twice its size makes no page of the console scroll sideways", { tag: "@full" }, async ({ page, browser }) => {
  await fillTraffic(await signUp(page));
  const console = await openConsole(browser, "grace", "/operator/overview");
  await console.setViewportSize(WIDE);
  const found: string[] = [];
  for (const path of await consoleAddresses(console)) {
    await openConsolePage(console, path);
    await console.evaluate(() => document.documentElement.style.setProperty("font-size", "200%"));
    const sideways = await sidewaysScroll(console);
    if (sideways !== "") found.push(`${path} scrolls sideways, ${sideways}`);
  }
  expect(found).toEqual([]);
});

for (const part of PARTS)
  test(
    `axe finds nothing on any page of the console, light and dark, part ${part + 1} of ${PARTS.length}`,
    { tag: "@full" },
    async ({ page, browser }) => {
      await signUp(page);
      await ask(page);
      const console = await openConsole(browser, "grace", "/operator/overview");
      const violations = watchForViolations(console);
      const found: string[] = [];
      const paths = await consoleAddresses(console);
      for (const path of paths.filter((_, index) => index % PARTS.length === part)) {
        await openConsolePage(console, path);
        found.push(...(await faultsOf(console, path)));
      }
      expect(found).toEqual([]);
      expect(violations).toEqual([]);
    },
  );
