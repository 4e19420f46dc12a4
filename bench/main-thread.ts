import { TONE_LINE } from "@farline/e2e/support/phone-network.ts";
import type { Page } from "@playwright/test";
import { startTrace, taskFigures } from "./page-tasks.ts";
import { withSignedInPage } from "./signed-in-page.ts";

const CALL_SECONDS = 12;
/** How long the page takes to become idle. */
const SETTLE_MS = 4000;
/** Typed, deleted and retyped: every key formats the number and parses it with the numbering plans. */
const NUMBERS = ["+233200000142", "02079460001", "+14155552671", "+390612345678", "+919876543210"];

/**
 * The longest main-thread tasks while a number is typed and during a call. The budget applies to processor time, because the
 * machine runs the whole product and the call's audio beside the page.
 */
export async function mainThread(): Promise<Record<string, unknown>> {
  return await withSignedInPage(50, async ({ page, product }) => {
    await page.goto(`${product.url}/dialer`);
    await page.waitForTimeout(SETTLE_MS);
    const typing = await traced(page, () => typeNumbers(page));
    const calling = await traced(page, () => callAndTalk(page));
    return { typing, calling, withinBudget: typing.ofTheProcessor.over50Ms === 0 && calling.ofTheProcessor.over50Ms === 0 };
  });
}

async function typeNumbers(page: Page): Promise<void> {
  const field = page.getByLabel("Phone number");
  for (const number of NUMBERS) {
    await field.click();
    await page.keyboard.type(number, { delay: 60 });
    for (let pressed = 0; pressed < 4; pressed++) await page.keyboard.press("Backspace");
    await page.keyboard.press("Escape");
  }
  for (const key of ["2", "0", "7", "9"]) await page.getByRole("button", { name: new RegExp(`^${key}`) }).click();
  await page.keyboard.press("Escape");
}

async function callAndTalk(page: Page): Promise<void> {
  await page.getByLabel("Phone number").fill(TONE_LINE);
  await page.getByRole("button", { name: "Call Now" }).click();
  await page.getByText("Connected", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Keypad" }).click();
  for (const key of ["1", "5"]) await page.getByRole("button", { name: new RegExp(`^${key}`) }).click();
  await page.getByRole("button", { name: "Mute" }).click();
  await page.waitForTimeout(CALL_SECONDS * 1000);
  await page.getByRole("button", { name: "Hang Up" }).click();
  await page.getByRole("button", { name: "Call Now" }).waitFor();
}

/** Measures the page's main thread during `work`. */
async function traced(page: Page, work: () => Promise<void>): Promise<ReturnType<typeof taskFigures>> {
  const trace = await startTrace(page);
  await work();
  return taskFigures(await trace.stop());
}
