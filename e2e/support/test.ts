import { test as base } from "@playwright/test";

/** Playwright's `test`. Closes the windows that a test opened beside `page`: they would call and ask on until the last test. */
export const test = base.extend<{ ownWindows: void }>({
  ownWindows: [
    async ({ browser }, use) => {
      const before = new Set(browser.contexts());
      await use();
      for (const context of browser.contexts()) if (!before.has(context)) await context.close();
    },
    { auto: true },
  ],
});
