import { chromium, expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { booksOf, newestCall } from "../support/books.ts";
import { dial, giveTestCredit, signUp } from "../support/customer.ts";
import { expectToBeHeard } from "../support/audio.ts";
import { networkCall } from "../support/phone-network.ts";
import { poll } from "../support/poll.ts";

const NOBODY_ANSWERS = "+442079460408";
const BUSY = "+442079460486";
/** Called by nobody else. */
const FOR_SLOW_MICROPHONES = "+442079460707";

/** The exchange has answered the browser's offer. */
const isMedia = ({ payload }: { payload: string | Buffer }): boolean => String(payload).includes("telnyx_rtc.media");

test("a call to a busy line says so and costs nothing", async ({ page }) => {
  const email = await signUp(page);
  await giveTestCredit(page, 5);
  await dial(page, BUSY);
  await expect(page.getByRole("heading", { name: "The line was busy" })).toBeVisible();
  await poll(async () => (await newestCall(email)).status).toBe("failed");
  const call = await newestCall(email);
  expect(call.recorded).toBe(0n);
  expect(call.entries).toBe(0);
  expect(await booksOf(email)).toMatchObject({ balance: 5_000_000n, held: 0n, pending: 0n, sum: 0n });
});

test("hanging up before the answer stops the ringing at the far end and costs nothing", async ({ page }) => {
  const email = await signUp(page);
  await giveTestCredit(page, 5);
  await dial(page, NOBODY_ANSWERS);
  await expect(page.getByText("Ringing...", { exact: true })).toBeVisible();
  await poll(async () => (await networkCall(NOBODY_ANSWERS))?.state).toBe("ringing");
  expect((await booksOf(email)).held).toBeGreaterThan(0n);
  await page.getByRole("button", { name: "Hang Up" }).click();
  await poll(async () => (await networkCall(NOBODY_ANSWERS))?.state).toBe("ended");
  await poll(async () => (await newestCall(email)).status).toBe("failed");
  expect(await booksOf(email)).toMatchObject({ balance: 5_000_000n, held: 0n });
});

test("nobody is rung before the microphone is open, however long that takes", async ({ page }) => {
  await page.addInitScript(() => {
    const { getUserMedia } = MediaDevices.prototype;
    const allowed = new Promise<void>((resolve) => Object.assign(globalThis, { openMicrophone: resolve }));
    MediaDevices.prototype.getUserMedia = async function slowly(...given) {
      await allowed;
      return getUserMedia.apply(this, given);
    };
  });
  await signUp(page);
  await giveTestCredit(page, 5);
  // On whichever connection: the first may be replaced.
  const media = new Promise<void>((resolve) => {
    page.on("websocket", (socket) => socket.on("framereceived", (frame) => isMedia(frame) && resolve()));
  });
  await dial(page, FOR_SLOW_MICROPHONES);
  await media;
  await expect(page.getByText(/^Waiting for your microphone\./)).toBeVisible();
  expect(await networkCall(FOR_SLOW_MICROPHONES)).toBeUndefined();
  await page.evaluate(() => (globalThis as unknown as { openMicrophone(): void }).openMicrophone());
  await expect(page.getByText("Connected")).toBeVisible();
  await expectToBeHeard(FOR_SLOW_MICROPHONES);
});

test("a blocked microphone is reported before any credit is held", async ({ baseURL }, testInfo) => {
  const { executablePath } = testInfo.project.use.launchOptions ?? {};
  const args = ["--no-sandbox", "--disable-background-networking", "--use-fake-device-for-media-stream"];
  const browser = await chromium.launch({ executablePath, args });
  try {
    const page = await (await browser.newContext({ permissions: [] })).newPage();
    const email = await signUp(page, baseURL);
    await giveTestCredit(page, 5);
    await dial(page, "+442079460000");
    await expect(page.getByText(/^Microphone access is required to make calls\./).first()).toBeVisible();
    expect(await booksOf(email)).toMatchObject({ held: 0n, pending: 0n });
  } finally {
    await browser.close();
  }
});
