import { expect, test } from "@playwright/test";
import { dial, giveTestCredit, signUp } from "../support/customer.ts";
import { ECHO_LINE, open, prefer, startCall, watchForViolations } from "../support/screens.ts";

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
    await expect(page.locator(".pill")).toHaveText(/5\.00\sUS\$/);
    await startCall(page);
    await expect(page.locator(".call__timer")).toHaveText(/\d\d:\d\d/);
    await expect(page.locator(".call__who")).toHaveText(/\u2066\+44 20 7946 0000\u2069/);
    const order = await page.locator(".call__who").evaluate((element) => {
      const range = document.createRange();
      const text = element.firstChild as Text;
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

test("on a phone in a call, toasts keep status, name and number visible, and go when they are no longer true", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await signUp(page);
  await giveTestCredit(page, 5);
  await dial(page, ECHO_LINE);
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await expect(page.getByText(/^Calling \+44/)).toBeHidden();
  await page.getByRole("button", { name: "Mute" }).click();
  const toast = page.locator(".toast").first();
  await expect(toast).toBeVisible();
  // Hovering keeps it on screen.
  await toast.hover();
  const places = () =>
    page.evaluate(() => {
      const box = (part: string) => document.querySelector(part)?.getBoundingClientRect();
      const message = box(".toast");
      const covered = [".call__status", ".call__who", ".call__num"].filter(
        (part) => (box(part)?.bottom ?? Infinity) > (message?.top ?? 0),
      );
      return { covered, isInPlace: (message?.left ?? Infinity) < 30 };
    });
  await expect.poll(places).toEqual({ covered: [], isInPlace: true });
});

test("Call Now is visible on a small phone with the sandbox notice and an extension", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 700 });
  await signUp(page);
  await giveTestCredit(page, 5);
  await page.getByLabel("Phone number").fill("+233 20 000 0142 ext. 12");
  await expect(page.getByLabel("Extension", { exact: true })).toBeVisible();
  await expect(page.getByText(/min in one call|min with your balance/)).toBeVisible();
  await expect(page.locator(".notice--sandbox")).toBeVisible();
  const [key, bar] = [await page.locator(".dial .btn--call").boundingBox(), await page.locator(".tabbar").boundingBox()];
  expect((key?.y ?? 0) + (key?.height ?? 0)).toBeLessThan((bar?.y ?? 0) - 1);
  await expect(page.locator(".dial .btn--call")).toBeInViewport({ ratio: 1 });
});
