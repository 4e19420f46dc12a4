import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { giveTestCredit, signUp } from "../support/customer.ts";
import { open, prefer, startCall, watchForViolations } from "../support/screens.ts";
import { BALANCE, CALLEE } from "../support/parts.ts";

test.describe("in a browser that prefers Arabic", () => {
  test.use({ locale: "ar-EG" });

  test("money, the number and the timer keep their order, in Latin digits", async ({ page }) => {
    const violations = watchForViolations(page);
    await page.goto("/login");
    await prefer(page, { language: "en" });
    await signUp(page);
    await giveTestCredit(page, 5);
    await prefer(page, { language: "ar" });
    await open(page, "/dialer");
    await expect(page.locator(BALANCE)).toHaveText(/5\.00\s\u2066US\$\u2069/);
    await startCall(page);
    await expect(page.getByRole("timer")).toHaveText(/\d\d:\d\d/);
    await expect(page.locator(CALLEE)).toHaveText(/\u2066\+44 20 7946 0000\u2069/);
    const order = await page.locator(CALLEE).evaluate((element) => {
      const range = document.createRange();
      const text = element.querySelector("bdi")?.firstChild as Text;
      const at = (mark: string) => {
        const from = text.data.indexOf(mark);
        range.setStart(text, from);
        range.setEnd(text, from + mark.length);
        return range.getBoundingClientRect().left;
      };
      return [at("+44"), at("7946"), at("0000")];
    });
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(violations).toEqual([]);
  });
});
