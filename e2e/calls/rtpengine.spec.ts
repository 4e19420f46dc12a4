import { type RtpengineProcess, startRtpengine } from "@farline/voice/test/rtpengine-process.ts";
import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { expectBothWays, expectSilence } from "../support/audio.ts";
import { booksOf, completedCall } from "../support/books.ts";
import { giveTestCredit, signUp, talkTo } from "../support/customer.ts";
import { networkCall, TONE_LINE } from "../support/phone-network.ts";
import { databaseUrlOf, removeData, startProduct, type Product } from "../support/product.ts";
import { poll } from "../support/poll.ts";

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
  const email = await signUp(page, product.url);
  await giveTestCredit(page, 5);
  await talkTo(page, TONE_LINE);
  await expectBothWays(page, product.sandboxUrl);

  await page.getByRole("button", { name: "Keypad" }).click();
  await page.getByRole("button", { name: /^7/ }).click();
  await poll(async () => (await call())?.digits).toBe("7");

  await page.reload();
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await expectBothWays(page, product.sandboxUrl);

  await page.getByRole("button", { name: "Hold" }).click();
  await expectSilence(page);
  await poll(async () => (await call())?.heard.frequencyHz ?? null).toBeNull();
  await page.getByRole("button", { name: "Hold" }).click();
  await expectBothWays(page, product.sandboxUrl);

  await page.getByRole("button", { name: "Hang Up" }).click();
  const database = databaseUrlOf(product);
  const record = await completedCall(email, database);
  expect(record.recorded).toBe(record.recomputed);
  expect(record.entries).toBe(1);
  expect(await booksOf(email, database)).toMatchObject({ held: 0n, sum: 0n });
});
