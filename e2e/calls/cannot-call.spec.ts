import { type Browser, expect, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { query } from "../support/books.ts";
import { giveTestCredit, signUp } from "../support/customer.ts";
import { hiddenParts } from "../support/layout/faults.ts";
import { enlargeText, LANGUAGES, speak } from "../support/layout/states.ts";
import { BESIDE_CALL_NOW, BOARD, CALL_NOW, NUMBER } from "../support/parts.ts";

const SMALL_PHONE = { width: 360, height: 640 };
const NUMBER_CALLED = "+442079460000";
const ADVICE = `${BOARD} [role=alert] p`;

const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";
const WEB_VIEW =
  "Mozilla/5.0 (Linux; Android 14; SM-A546B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/140.0.0.0 Mobile Safari/537.36";

/** Browsers as they are on phones that we have not, by their user agent and by what they lack. */
const BROWSERS: readonly {
  readonly name: string;
  readonly userAgent: string;
  readonly lack: () => void;
  readonly says: RegExp;
}[] = [
  {
    name: "Safari in Lockdown Mode",
    userAgent: `${IPHONE} Version/18.6 Mobile/15E148 Safari/604.1`,
    lack: () => Reflect.deleteProperty(window, "RTCPeerConnection"),
    says: /^This browser blocks calls\. If Lockdown Mode is on/,
  },
  {
    name: "an extension that replaces connections",
    userAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
    lack: () => {
      const blocked = function (): never {
        throw new Error("blocked");
      };
      Object.assign(window, { RTCPeerConnection: blocked });
    },
    says: /^This browser blocks calls\. Turn off extensions/,
  },
  {
    name: "Instagram on an iPhone",
    userAgent: `${IPHONE} Mobile/22G86 Instagram 350.0.0.0.1 (iPhone14,5; iOS 18_6; en_US)`,
    lack: () => void Object.defineProperty(navigator, "mediaDevices", { value: undefined }),
    says: /^Instagram can’t make calls/,
  },
];

/** Opens the dialer of a new customer with credit in such a browser. */
async function openDialer(
  browser: Browser,
  userAgent: string,
  lack: () => void,
  baseURL = "",
): Promise<{ page: Page; email: string }> {
  const context = await browser.newContext({ userAgent, permissions: ["microphone"], viewport: SMALL_PHONE });
  const page = await context.newPage();
  await page.addInitScript(lack);
  const email = await signUp(page, baseURL);
  await giveTestCredit(page, 5);
  return { page, email };
}

/** The customer’s calls of any kind: nothing may be in the history. */
async function callsOf(email: string): Promise<number> {
  const sql = "select count(*) as calls from call c join customer p on p.id = c.customer_id where p.email = $1";
  return Number((await query<{ calls: string }>(sql, [email])).calls);
}

for (const { name, userAgent, lack, says } of BROWSERS)
  test(`${name} is told before the first press, whole in every language, and nobody is dialled`, async ({ browser, baseURL }) => {
    const { page, email } = await openDialer(browser, userAgent, lack, baseURL);
    await page.goto(`/dialer?number=${encodeURIComponent(NUMBER_CALLED)}`);
    await expect(page.locator(ADVICE)).toHaveText(says);
    await expect(page.locator(CALL_NOW)).toBeDisabled();
    const found: string[] = [];
    for (const language of LANGUAGES) {
      await speak(page, language);
      await expect(page.locator(ADVICE)).toBeVisible();
      await page.evaluate(() => window.scrollTo(0, 0));
      found.push(...(await hiddenParts(page, `${name} in ${language}`, [ADVICE, CALL_NOW, BESIDE_CALL_NOW])));
      await enlargeText(page, 200);
      found.push(...(await cutAdvice(page, `${name} in ${language} at 200 %`)));
      await enlargeText(page, 100);
    }
    expect(found).toEqual([]);
    expect(await callsOf(email)).toBe(0);
    await page.context().close();
  });

test("an app that refuses the microphone is tried, then named, with a link that takes the number along", async ({
  browser,
  baseURL,
}) => {
  const refuse = (): void => {
    navigator.permissions.query = () => Promise.reject(new TypeError("unsupported"));
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("Permission denied", "NotAllowedError"));
  };
  const { page, email } = await openDialer(browser, `${WEB_VIEW} [FB_IAB/FB4A;FBAV/480.0.0.0;]`, refuse, baseURL);
  await page.locator(NUMBER).fill(NUMBER_CALLED);
  await page.locator(CALL_NOW).click();
  await expect(page.locator(ADVICE)).toHaveText(/^Facebook can’t make calls/);
  await expect(page.getByRole("link", { name: "Open browser" })).toHaveAttribute(
    "href",
    new RegExp(`^intent://[^/]+/dialer\\?number=${encodeURIComponent(NUMBER_CALLED)}#Intent;`),
  );
  expect(await callsOf(email)).toBe(0);
  await page.context().close();
});

/** The advice must not be cut off by what is around it; the page may scroll. */
async function cutAdvice(page: Page, where: string): Promise<string[]> {
  const cut = await page.locator(`${BOARD} [role=alert]`).evaluate((panel) => {
    const around = panel.parentElement;
    return around !== null && around.scrollHeight > around.clientHeight + 1;
  });
  return cut ? [`${where}: the advice is cut off`] : [];
}
