import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { faultsNow } from "../support/axe.ts";
import { enterPassword, PASSWORD, signUp } from "../support/customer.ts";
import { removeData, startProduct } from "../support/product.ts";
import { poll } from "../support/poll.ts";

const WRONG = "not the password";
const CHECKING = "Checking that you’re not a robot. This takes a moment.";

test("after wrong passwords the form solves the robot challenge and continues by itself", async ({ page, browser }) => {
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
      await poll(() => answers).toEqual(Array(tries).fill(422));
      await expect(failure).toHaveText("The email address or password is wrong.");
    }

    // Holds the worker back until the message that explains the delay was visible.
    const seen = Promise.withResolvers<void>();
    await stranger.context().route("**/assets/solve-challenge-*.js", async (route) => {
      await seen.promise;
      await route.continue();
    });
    await enterPassword(stranger, email, WRONG);
    await expect(stranger.getByRole("status").filter({ hasText: CHECKING })).toBeVisible();
    expect(await faultsNow(stranger, "sign-in, checking")).toEqual([]);
    seen.resolve();
    await poll(() => answers).toEqual([422, 422, 422, 403, 422]);
    await expect(failure).toHaveText("The email address or password is wrong.");
    await expect(stranger.getByText(CHECKING)).toBeHidden();
    await expect(stranger.getByLabel("Email")).toHaveValue(email);
    await expect(stranger.getByLabel("Password", { exact: true })).toHaveValue(WRONG);

    await enterPassword(stranger, email, PASSWORD);
    await expect(stranger).toHaveURL(`${product.url}/dialer`);
    // A second worker's address passes the same policy.
    await poll(() => stranger.evaluate(async () => (await navigator.serviceWorker.getRegistration()) !== undefined)).toBe(true);
    expect(errors).toEqual([]);
    await stranger.context().close();
  } finally {
    await product.stop();
    removeData(product);
  }
});
