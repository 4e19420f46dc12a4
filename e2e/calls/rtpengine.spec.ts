import { type RtpengineProcess, startRtpengine } from "@farline/voice/test/rtpengine-process.ts";
import { expect, test } from "@playwright/test";
import { expectSilence, expectToHear } from "../support/audio.ts";
import { booksOf, newestCall } from "../support/books.ts";
import { dial, giveTestCredit, signUp } from "../support/customer.ts";
import { MICROPHONE_HERTZ } from "../support/tone.ts";
import { networkCall, TONE_LINE } from "../support/phone-network.ts";
import { databaseUrlOf, removeData, startProduct, type Product } from "../support/product.ts";

const TONE_HERTZ = 1000;

let engine: RtpengineProcess;
let product: Product;

test.beforeAll(async () => {
  engine = await startRtpengine({ first: 31_900, last: 32_099 });
  product = await startProduct({ env: { RTPENGINES: `${engine.ng.host}:${engine.ng.port}` } });
});
test.afterAll(async () => {
  await product.stop();
  removeData(product);
  await engine.kill();
});

test("a call through rtpengine has sound both ways, holds, sends digits, survives a reload, and is charged once", async ({
  page,
}) => {
  const call = () => networkCall(TONE_LINE, product.sandboxUrl);
  const expectBothWays = async (): Promise<void> => {
    await expectToHear(page, TONE_HERTZ);
    const before = (await call())?.rtp.received ?? 0;
    await expect.poll(async () => (await call())?.rtp.received ?? 0).toBeGreaterThan(before + 50);
    await expect.poll(async () => Math.abs(((await call())?.heard.frequencyHz ?? 0) - MICROPHONE_HERTZ)).toBeLessThan(10);
  };
  const email = await signUp(page, product.url);
  await giveTestCredit(page, 5);
  await dial(page, TONE_LINE);
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await expectBothWays();

  await page.getByRole("button", { name: "Keypad" }).click();
  await page.getByRole("button", { name: /^7/ }).click();
  await expect.poll(async () => (await call())?.digits).toBe("7");

  await page.reload();
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await expectBothWays();

  await page.getByRole("button", { name: "Hold" }).click();
  await expectSilence(page);
  await expect.poll(async () => (await call())?.heard.frequencyHz ?? null).toBeNull();
  await page.getByRole("button", { name: "Hold" }).click();
  await expectBothWays();

  await page.getByRole("button", { name: "Hang Up" }).click();
  const database = databaseUrlOf(product);
  await expect.poll(async () => (await newestCall(email, database)).status).toBe("completed");
  const record = await newestCall(email, database);
  expect(record.recorded).toBe(record.recomputed);
  expect(record.entries).toBe(1);
  expect(await booksOf(email, database)).toMatchObject({ held: 0n, sum: 0n });
});
