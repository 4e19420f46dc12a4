import { chromium, expect, test } from "@playwright/test";
import { booksOf, newestCall } from "../support/books.ts";
import { dial, giveTestCredit, signUp } from "../support/customer.ts";
import { networkCall } from "../support/phone-network.ts";

const LINES = {
  notInService: "+442079460404",
  nobodyAnswers: "+442079460408",
  busy: "+442079460486",
  outOfOrder: "+442079460503",
  declined: "+442079460603",
};

for (const [line, words] of [
  ["busy", "The line was busy."],
  ["declined", "The call was declined."],
  ["notInService", "This number cannot be reached."],
  ["outOfOrder", "The phone network did not connect the call."],
] as const) {
  test(`a call that ends as ${line} says so in plain words and costs nothing`, async ({ page }) => {
    const email = await signUp(page);
    await giveTestCredit(page, 5);
    await dial(page, LINES[line]);
    await expect(page.getByText(`${words} Nothing was charged.`)).toBeVisible();
    await expect.poll(async () => (await newestCall(email)).status).toBe("failed");
    const call = await newestCall(email);
    expect(call.recorded).toBe(0n);
    expect(call.entries).toBe(0);
    const books = await booksOf(email);
    expect(books).toMatchObject({ balance: 5_000_000n, held: 0n, pending: 0n, sum: 0n });
  });
}

test("hanging up before the answer stops the ringing at the far end and costs nothing", async ({ page }) => {
  const email = await signUp(page);
  await giveTestCredit(page, 5);
  await dial(page, LINES.nobodyAnswers);
  await expect(page.getByText("Ringing...", { exact: true })).toBeVisible();
  await expect.poll(async () => (await networkCall(LINES.nobodyAnswers))?.state).toBe("ringing");
  expect((await booksOf(email)).held).toBeGreaterThan(0n);
  await page.getByRole("button", { name: "Hang Up" }).click();
  await expect.poll(async () => (await networkCall(LINES.nobodyAnswers))?.state).toBe("ended");
  await expect.poll(async () => (await newestCall(email)).status).toBe("failed");
  expect(await booksOf(email)).toMatchObject({ balance: 5_000_000n, held: 0n });
});

test("an emergency number is explained and never dialled", async ({ page }) => {
  const email = await signUp(page);
  await giveTestCredit(page, 5);
  await dial(page, "911");
  await expect(page.getByText("This service cannot place emergency calls. Use your phone and dial 911.").first()).toBeVisible();
  expect(await networkCall("+1911")).toBeUndefined();
  expect((await booksOf(email)).held).toBe(0n);
});

test("with too little credit the dialer says what is missing and leads to the top-up", async ({ page }) => {
  await signUp(page);
  await dial(page, "+442079460000");
  await expect(page.getByText("You need at least $0.01 for this call. Your balance is $0.00.")).toBeVisible();
  await page.getByRole("alert").getByRole("link", { name: "Top Up" }).click();
  await expect(page).toHaveURL(/\/topup$/);
});

for (const [what, args, words] of [
  [
    "refused",
    ["--use-fake-device-for-media-stream"],
    "Microphone access is required to make calls. Please allow microphone access in your browser settings.",
  ],
  ["missing", [], "No microphone was found. Connect one and try again."],
] as const) {
  test(`a microphone that is ${what} is told before any credit is set aside`, async ({ baseURL }, testInfo) => {
    const { executablePath } = testInfo.project.use.launchOptions ?? {};
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-background-networking", ...args] });
    try {
      const page = await (await browser.newContext({ permissions: [] })).newPage();
      const email = await signUp(page, baseURL);
      await giveTestCredit(page, 5);
      await dial(page, "+442079460000");
      await expect(page.getByText(words).first()).toBeVisible();
      expect(await booksOf(email)).toMatchObject({ held: 0n, pending: 0n });
    } finally {
      await browser.close();
    }
  });
}
