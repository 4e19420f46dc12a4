import { expect, test, type Page } from "@playwright/test";
import { TOTP } from "otpauth";
import { faultsOf } from "../support/axe.ts";
import { enterPassword, logOut, PASSWORD, signUp, tokenOf } from "../support/customer.ts";
import { linkMailedTo } from "../support/mailbox.ts";
import { removeData, startProduct } from "../support/product.ts";

const WRONG = "not the password";
const CHECKING = "Checking that you’re not a robot. This takes a moment.";

/** Switches the authenticator app on, from the account page. */
async function setUpAuthenticator(page: Page): Promise<TOTP> {
  await page.goto("/account");
  await page.getByRole("button", { name: "Set up an app" }).click();
  const secret = (await page.locator("code").first().innerText()).replaceAll(/\s/g, "");
  const app = new TOTP({ secret });
  await page.getByLabel("Code from the app").fill(app.generate());
  await page.getByRole("button", { name: "Turn on" }).click();
  await page.getByRole("button", { name: "I’ve saved them" }).click();
  return app;
}

test("Google alone does not open an account with an authenticator app: its code is asked for", async ({ page }) => {
  const email = await signUp(page);
  await page.goto(await linkMailedTo(email, "Confirm your email address"));
  await expect(page.getByRole("heading", { name: "Email confirmed" })).toBeVisible();
  const app = await setUpAuthenticator(page);
  await logOut(page);

  await page.goto("/login");
  await page.getByRole("button", { name: "Continue with Google" }).click();
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Google runs the mailbox").check();
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("heading", { name: "One more step" })).toBeVisible();
  expect(await tokenOf(page)).toBe("");
  const code = page.getByLabel("Code", { exact: true });
  await code.fill("000000");
  await page.getByRole("button", { name: "Sign In", exact: true }).click();
  await expect(page.getByText("This code is not right. Enter the one that your app shows now.")).toBeVisible();
  expect(await tokenOf(page)).toBe("");
  // The code of the set-up is used up; the app's clock may be one step ahead.
  await code.fill(app.generate({ timestamp: Date.now() + 30_000 }));
  await page.getByRole("button", { name: "Sign In", exact: true }).click();
  await expect(page).toHaveURL(/\/dialer$/);

  await page.goto("/account");
  const activity = page.getByRole("region", { name: "Recent activity" });
  await expect(activity.getByRole("listitem").first()).toContainText("Signed in");
  await expect(activity.getByRole("listitem").nth(1)).toContainText("Wrong code at a sign-in");
  await expect(activity.getByText("Authenticator app turned on")).toBeVisible();
  await expect(activity.getByText("Google connected")).toBeVisible();
});

test("after wrong passwords the form solves what a robot would be asked, and goes on by itself", async ({ page, browser }) => {
  const product = await startProduct({ env: { LIMITS_SCALE: "1" } });
  try {
    const email = await signUp(page, product.url);
    const stranger = await (await browser.newContext({ serviceWorkers: "allow" })).newPage();
    const errors: string[] = [];
    stranger.on("pageerror", (error) => errors.push(error.message));
    const answers: number[] = [];
    stranger.on("response", (answer) => {
      if (answer.url().endsWith("/api/login")) answers.push(answer.status());
    });
    await stranger.goto(`${product.url}/login`);
    const failure = stranger.getByRole("alert");
    for (let tries = 1; tries <= 3; tries++) {
      await enterPassword(stranger, email, WRONG);
      await expect.poll(() => answers).toEqual(Array(tries).fill(422));
      await expect(failure).toHaveText("The email address or password is wrong.");
    }

    // The worker is held back until the reader has seen why it takes longer.
    const seen = Promise.withResolvers<void>();
    await stranger.context().route("**/assets/solve-challenge-*.js", async (route) => {
      await seen.promise;
      await route.continue();
    });
    await enterPassword(stranger, email, WRONG);
    await expect(stranger.getByRole("status").filter({ hasText: CHECKING })).toBeVisible();
    expect(await faultsOf(stranger, "sign-in, checking")).toEqual([]);
    seen.resolve();
    await expect.poll(() => answers).toEqual([422, 422, 422, 403, 422]);
    await expect(failure).toHaveText("The email address or password is wrong.");
    await expect(stranger.getByText(CHECKING)).toBeHidden();
    await expect(stranger.getByLabel("Email")).toHaveValue(email);
    await expect(stranger.getByLabel("Password", { exact: true })).toHaveValue(WRONG);

    await enterPassword(stranger, email, PASSWORD);
    await expect(stranger).toHaveURL(`${product.url}/dialer`);
    // The address of a second worker passes the same policy.
    await expect
      .poll(() => stranger.evaluate(async () => (await navigator.serviceWorker.getRegistration()) !== undefined))
      .toBe(true);
    expect(errors).toEqual([]);
    await stranger.context().close();
  } finally {
    await product.stop();
    removeData(product);
  }
});

test("many sign-ups from one network solve a challenge, and a browser that cannot says so", async ({ page }) => {
  const product = await startProduct({ env: { LIMITS_SCALE: "1" } });
  try {
    for (const name of ["one", "two", "three"]) {
      const data = { name, email: `${name}@example.com`, password: PASSWORD, password_confirmation: PASSWORD };
      expect((await page.request.post(`${product.url}/api/register`, { data })).status()).toBe(201);
    }
    await page.context().route("**/assets/solve-challenge-*.js", (route) => route.abort(), { times: 1 });
    await page.goto(`${product.url}/register`);
    await page.getByLabel("Full Name").fill("Grace Mensah");
    await page.getByLabel("Email").fill("four@example.com");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByLabel("Confirm Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Create Account" }).click();
    await expect(page.getByRole("alert")).toHaveText("The robot check failed. Try again.");
    await page.getByRole("button", { name: "Create Account" }).click();
    await expect(page).toHaveURL(`${product.url}/dialer`);
  } finally {
    await product.stop();
    removeData(product);
  }
});

test("the account page lists what happened, twenty at a time, and can be read by everybody", async ({ page, browser }) => {
  const email = await signUp(page);
  for (let i = 0; i < 20; i++)
    expect((await page.request.post("/api/login", { data: { email, password: WRONG } })).status()).toBe(422);
  const headers = { authorization: `Bearer ${await tokenOf(page)}` };
  const newest = async (): Promise<{ id: string; kind: string }[]> =>
    (await (await page.request.get("/api/account/activity", { headers })).json()).activity.data;
  // Wrong passwords are written down a moment after their answers.
  await expect.poll(async () => (await newest()).filter(({ kind }) => kind === "sign_in_failed").length).toBe(20);
  const [last] = await newest();
  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto("/login");
  await enterPassword(stranger, email, WRONG);
  await expect(stranger.getByRole("alert")).toHaveText("The email address or password is wrong.");
  await stranger.context().close();
  await expect.poll(async () => (await newest())[0]?.id).not.toBe(last?.id);

  const activity = page.getByRole("region", { name: "Recent activity" });
  const rows = activity.getByRole("listitem");
  const refused = { status: 400, json: { message: "no", code: "malformed_request" } };
  await page.route("**/api/account/activity", (route) => route.fulfill(refused), { times: 1 });
  await page.goto("/account");
  await expect(activity.getByText("We could not load the recent activity.")).toBeVisible();
  await activity.getByRole("button", { name: "Try again" }).click();
  await expect(rows.first()).toContainText("Wrong password at a sign-in");
  await expect(rows.first()).toContainText(/Linux.* · (127\.0\.0|::*1?:*).*x/);
  await expect(rows).toHaveCount(20);
  await activity.getByRole("button", { name: "Show more" }).click();
  await expect(rows).toHaveCount(22);
  await expect(activity.getByRole("button", { name: "Show more" })).toBeHidden();
  expect(await faultsOf(page, "account with its activity")).toEqual([]);
});
