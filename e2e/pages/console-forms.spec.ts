import { expect, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { faultsInBothThemes } from "../support/axe.ts";
import { ask, consoleAddresses, openConsolePage } from "../support/console-pages.ts";
import { signUp, topUp } from "../support/customer.ts";
import { openConsole } from "../support/operate.ts";
import { sidewaysScroll } from "../support/screens.ts";

const PHONE = { width: 390, height: 844 };
/** All forms in one test would take longer than a test may on a busy machine. */
const PARTS = [0, 1, 2] as const;
/** More than any form has controls. */
const MAX_TABS = 40;

/** Buttons that open a form or a pane; what they do is confirmed there. Each kind is tried once. */
const OPENERS =
  /^(Refund|Freeze|Correct the credit|Change a limit|Sign out everywhere|Confirm the address|Send a copy of their data|Erase the account|Close without an answer|Start a promo code|Block a caller ID|Unblock a caller ID|Compare with the payment provider|Reopen intake|Change |History of |Invite an operator|Remove)/;

/** Presses Tab until the focus is back at the first control of the dialog, and says which controls it never shows or reaches. */
async function faultsOfKeyboard(console: Page): Promise<string[]> {
  return (await console.evaluate(() => document.activeElement?.closest("dialog") === null))
    ? ["the focus is not in the dialog"]
    : await tabThrough(console);
}

async function tabThrough(console: Page): Promise<string[]> {
  const wanted = await console
    .locator("dialog[open]")
    .locator("button, input, select, textarea, a[href]")
    .evaluateAll((all) => all.filter((one) => one.checkVisibility() && !one.hasAttribute("disabled")).length);
  const [faults, reached]: [string[], Set<string>] = [[], new Set()];
  for (let press = 0; press < MAX_TABS && reached.size < wanted; press += 1) {
    const at = await console.evaluate(() => {
      const focused = document.activeElement;
      const dialog = document.querySelector("dialog[open]");
      // Between the last and the first control the browser's own bar has the focus.
      if (focused === null || focused === document.body || dialog === null) return { index: -1, shown: true, inside: true };
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(focused);
      const shown = (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
      const index = [...dialog.querySelectorAll("button, input, select, textarea, a[href]")].indexOf(focused);
      return { index, shown, inside: dialog.contains(focused) };
    });
    if (!at.inside) faults.push("the focus leaves the dialog");
    if (at.index >= 0 && !at.shown) faults.push(`the focus on control ${at.index} is not visible`);
    if (at.index >= 0) reached.add(String(at.index));
    await console.keyboard.press("Tab");
  }
  return reached.size < wanted ? [...faults, `the keyboard reaches ${reached.size} of ${wanted} controls`] : faults;
}

for (const part of PARTS)
  test(
    `axe finds nothing in any form, pane or menu of the console, the keyboard reaches all of it, and none scrolls sideways, part ${part + 1} of ${PARTS.length}`,
    { tag: "@full" },
    async ({ page, browser }) => {
      await signUp(page);
      await topUp(page, 20);
      await ask(page);
      const console = await openConsole(browser, "grace", "/operator/overview");
      const [found, tried]: [string[], Set<string>] = [[], new Set()];
      const paths = await consoleAddresses(console);
      await console.setViewportSize(PHONE);
      if (part === 0) {
        await console.getByRole("button", { name: "More" }).click();
        found.push(...(await faultsInBothThemes(console, "More")));
      }
      for (const path of paths.filter((_, index) => index % PARTS.length === part)) {
        await openConsolePage(console, path);
        const names = await console
          .locator("main")
          .getByRole("button", { name: OPENERS })
          .evaluateAll((buttons) => buttons.map((button) => button.getAttribute("aria-label") ?? button.textContent));
        for (const name of names) {
          const [kind = ""] = OPENERS.exec(name) ?? [];
          if (tried.has(kind)) continue;
          tried.add(kind);
          const opener = console.locator("main").getByRole("button", { name, exact: true }).first();
          await opener.click();
          found.push(...(await faultsInBothThemes(console, `${path}, ${name}`)));
          const sideways = await sidewaysScroll(console);
          if (sideways !== "") found.push(`${path}, ${name} scrolls sideways, ${sideways}`);
          if ((await console.locator("dialog[open]").count()) === 0) continue;
          found.push(...(await faultsOfKeyboard(console)).map((fault) => `${path}, ${name}: ${fault}`));
          await console.keyboard.press("Escape");
          await expect(console.locator("dialog[open]")).toHaveCount(0);
          await expect(opener).toBeFocused();
        }
        await console.locator("main details").evaluateAll((all) => {
          for (const one of all) if (one instanceof HTMLDetailsElement) one.open = true;
        });
        found.push(...(await faultsInBothThemes(console, `${path}, with all details open`)));
      }
      expect(tried.size).toBeGreaterThan(0);
      expect(found).toEqual([]);
    },
  );
