import { expect, type Locator, type Page } from "@playwright/test";
import { poll } from "./poll.ts";

export const PASSWORD = "a long enough phrase 42";
export const TEST_CARD = "4242 4242 4242 4242";
export const DECLINED_CARD = "4000 0000 0000 0002";

const appUrl = () => process.env["PRODUCT_URL"] ?? "";

let made = 0;

/** Marks the tutorial as skipped, because it would cover the page in every test. */
export async function skipTutorial(page: Page): Promise<void> {
  await page.addInitScript(() => {
    try {
      localStorage.setItem("tutorial", "done");
    } catch {
      // An empty page.
    }
  });
}

/**
 * Signs up a new customer from the page with the form's requests, and ends on the dialer. The form has its own tests.
 * Returns the new customer's mail address.
 */
export async function signUp(page: Page, url = appUrl()): Promise<string> {
  await skipTutorial(page);
  made += 1;
  const email = `caller-${process.pid}-${Date.now()}-${made}@example.com`;
  await page.goto(`${url}/robots.txt`);
  // While the disk of a small machine is slow, the service refuses requests.
  await poll(() => register(page, email)).toBe("");
  await page.goto(`${url}/dialer`);
  await expect(page.getByLabel("Phone number")).toBeVisible();
  // The app has replaced the drawn page and has its data.
  await page
    .getByRole("link", { name: /^Balance USD/ })
    .first()
    .waitFor({ state: "attached" });
  return email;
}

/** Empty, or what a service says that asks to try again. @throws Error with any other refusal */
function register(page: Page, email: string): Promise<string> {
  return page.evaluate(
    async (wanted) => {
      const headers = { "content-type": "application/json", "x-session-bind": "1" };
      const answer = await fetch("/api/register", { method: "POST", headers, body: JSON.stringify(wanted) });
      const text = await answer.text();
      if (answer.status === 503) return text;
      if (!answer.ok) throw new Error(text);
      localStorage.setItem("token", (JSON.parse(text) as { token: string }).token);
      return "";
    },
    { name: "Grace Mensah", email, password: PASSWORD, password_confirmation: PASSWORD },
  );
}

/** Enters text key by key. Playwright's `fill` sets a field in Firefox without React hearing of it. */
export async function enter(field: Locator, text: string): Promise<void> {
  // Unlike `selectText`, a key is pressed again in the app's field when it replaces the drawn page's.
  await field.press("ControlOrMeta+a");
  await field.press("Delete");
  await field.pressSequentially(text);
}

/** Fills in and submits the sign-in form on the current page. */
export async function enterPassword(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign In", exact: true }).click();
}

/** Logs out and waits for the landing page. */
export async function logOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Logout" }).click();
  await expect(page).toHaveURL(new URL("/", page.url()).href);
}

/** Starts a top-up and ends on the hosted card page. */
export async function goToCardPage(page: Page, dollars: number): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/topup`);
  await enter(page.getByLabel("Or another amount"), String(dollars));
  await page.getByRole("button", { name: "Secure Checkout" }).click();
  await expect(page.getByRole("heading", { name: "Pay by card" })).toBeVisible();
}

/** Buys credit by card on the hosted page; ends on the success page with the credit booked. */
export async function topUp(page: Page, dollars: number): Promise<void> {
  await goToCardPage(page, dollars);
  await payByCard(page, TEST_CARD);
  await expect(page.getByRole("heading", { name: "Payment Successful" })).toBeVisible();
  await expect(page.getByText("Your credit is ready to use.")).toBeVisible();
}

/** The box that saves a card at the checkout. */
export const KEEP_CARD = "Save my card for next time";

/** Pays with a new card on the hosted page, and saves it. */
export async function payAndKeep(page: Page, dollars: number): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/topup`);
  await enter(page.getByLabel("Or another amount"), String(dollars));
  await expect(page.getByLabel(KEEP_CARD)).not.toBeChecked();
  await page.getByLabel(KEEP_CARD).check();
  await page.getByRole("button", { name: "Secure Checkout" }).click();
  await expect(page.getByText("The shop saves this card")).toBeVisible();
  await payByCard(page, TEST_CARD);
}

/** Fills in the hosted card page and pays. */
export async function payByCard(page: Page, card: string): Promise<void> {
  await fillInCard(page, card);
  await page.getByRole("button", { name: /^Pay / }).click();
}

/** Fills in the hosted card page. */
export async function fillInCard(page: Page, card: string): Promise<void> {
  await page.getByLabel("Card number").fill(card);
  await page.getByLabel("Expiry").fill("12 / 40");
  await page.getByLabel("CVC").fill("123");
  await page.getByLabel("Name on card").fill("Grace Mensah");
}

/** Types a number into the dialer and calls it, opening the dialer if necessary. */
export async function dial(page: Page, number: string): Promise<void> {
  const dialer = new URL("/dialer", page.url()).href;
  if (page.url() !== dialer) await page.goto(dialer);
  await enter(page.getByLabel("Phone number"), number);
  await page.getByRole("button", { name: "Call Now" }).click();
}

/** Calls a number and waits for the answer. */
export async function talkTo(page: Page, number: string): Promise<void> {
  await dial(page, number);
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
}

/** The signed-in customer's bearer token, as the app stores it. */
export async function tokenOf(page: Page): Promise<string> {
  return await page.evaluate(() => localStorage.getItem("token") ?? "");
}

/**
 * Headers of a request beside the page, with its session. On a connection of its own, because Playwright keeps it for the next request, which
 * fails if the service closes it at that moment.
 */
export async function sessionHeaders(page: Page): Promise<Record<string, string>> {
  return { authorization: `Bearer ${await tokenOf(page)}`, connection: "close" };
}

/** Adds test credit through the sandbox's API, for tests that are not about paying. */
export async function giveTestCredit(page: Page, dollars: number | string): Promise<void> {
  const answer = await page.request.post(`${new URL(page.url()).origin}/api/billing/test-credit`, {
    data: { amount: dollars },
    headers: await sessionHeaders(page),
  });
  expect(answer.ok(), await answer.text()).toBe(true);
}

/** Gives a page's browser an authenticator that creates and uses passkeys without asking anybody. */
export async function addAuthenticator(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}
