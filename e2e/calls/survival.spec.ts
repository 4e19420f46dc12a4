import { expect, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { expectBothWays, expectSilence, expectToHaveHeard, expectToHear, recordFarEnd } from "../support/audio.ts";
import { booksOf, completedCall, expectChargedOnce, newestCall } from "../support/books.ts";
import { giveTestCredit, signUp, talkTo } from "../support/customer.ts";
import { askForMicrophone, closePeers, expectOpenMicrophones, microphoneRequests, watchMedia } from "../support/media-watch.ts";
import { MICROPHONE_HERTZ } from "../support/tone.ts";
import { networkCall, TONE_HERTZ, TONE_LINE } from "../support/phone-network.ts";
import { backToPad, expectCallOver } from "../support/screens.ts";
import { takeVoiceSocket } from "../support/voice-socket.ts";
import { poll } from "../support/poll.ts";

async function connected(page: Page): Promise<string> {
  await watchMedia(page);
  const email = await signUp(page);
  await giveTestCredit(page, 5);
  await talkTo(page, TONE_LINE);
  await expectBothWays(page);
  return email;
}

test("a page reloaded during a call goes on with it by itself, and both sides hear each other again", async ({ page }) => {
  const email = await connected(page);
  await page.reload();
  const back = page.getByText(/^You’re back in the call\. The page was reloaded, and the other side waited \d+ s\.$/);
  await expect(back).toBeVisible();
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await expectBothWays(page);
  await expect(back).toBeHidden();

  await page.getByRole("button", { name: "Hold" }).click();
  await expect(page.getByText("On hold", { exact: true })).toBeVisible();
  await expectSilence(page);
  await poll(async () => (await networkCall(TONE_LINE))?.heard.frequencyHz ?? null).toBeNull();
  await page.getByRole("button", { name: "Hold" }).click();
  await expectBothWays(page);

  await page.getByRole("button", { name: "Mute" }).click();
  await poll(async () => (await networkCall(TONE_LINE))?.heard.frequencyHz ?? null).toBeNull();
  await page.getByRole("button", { name: /mute/i }).click();
  await expectBothWays(page);

  await page.getByRole("button", { name: "Hang Up" }).click();
  const call = await completedCall(email);
  expectChargedOnce(call);
  expect(await booksOf(email)).toMatchObject({ held: 0n, sum: 0n });
});

test("a reloaded page whose browser asks for the microphone says what the call costs, rejoins at a press, and shows how it ended", async ({
  page,
}) => {
  const email = await connected(page);
  await askForMicrophone(page);
  await page.reload();
  const card = page.getByRole("alert", { name: "Your call is still open" });
  await expect(card.getByText(/^We hold the call for \d+ s\./)).toBeVisible();
  await expect(card.getByText(/^So far \$0\.\d{4}\./)).toBeVisible();
  await expect(page.getByRole("button", { name: "Call Now" })).toHaveCount(0);
  await expectOpenMicrophones(page, 0);
  await card.getByRole("button", { name: "Rejoin" }).click();
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await expectBothWays(page);
  await page.reload();
  await card.getByRole("button", { name: "Hang Up" }).click();
  await expect(page.getByRole("heading", { name: "You hung up" })).toBeFocused();
  await expectOpenMicrophones(page, 0);
  await poll(async () => (await networkCall(TONE_LINE))?.state).toBe("ended");
  expect((await newestCall(email)).status).toBe("completed");
  await backToPad(page);
});

test("a call survives the loss of its socket, and of socket and sound together", async ({ page }) => {
  const socket = await takeVoiceSocket(page);
  await connected(page);
  socket.block(true);
  await socket.cut();
  await expect(page.getByText("Reconnecting...")).toBeVisible();
  const { made } = socket;
  socket.block(false);
  await expectToHear(page, TONE_HERTZ);
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  expect(socket.made).toBeGreaterThan(made);
  await page.getByRole("button", { name: "Keypad" }).click();
  await page.getByRole("button", { name: /^7/ }).click();
  await poll(async () => (await networkCall(TONE_LINE))?.digits).toBe("7");

  await closePeers(page);
  await expectSilence(page);
  await socket.cut();
  await expectBothWays(page);
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  expect(await microphoneRequests(page)).toBe(1);
  await page.getByRole("button", { name: "Hang Up" }).click();
  await poll(async () => (await networkCall(TONE_LINE))?.state).toBe("ended");
  await expectOpenMicrophones(page, 0);
});

test("a call that was hung up offline ends, and never returns with an open microphone", async ({ page, context }) => {
  const socket = await takeVoiceSocket(page);
  const email = await connected(page);
  socket.block(true);
  await context.setOffline(true);
  await socket.cut();
  await page.getByRole("button", { name: "Hang Up" }).click();
  await expectCallOver(page);
  await expectOpenMicrophones(page, 0);
  socket.block(false);
  await context.setOffline(false);
  await completedCall(email);
  await poll(async () => (await networkCall(TONE_LINE))?.state).toBe("ended");
  await expectOpenMicrophones(page, 0);
  expect(await microphoneRequests(page)).toBe(1);
  await backToPad(page);
  await page.reload();
  await expect(page.getByRole("button", { name: "Call Now" })).toBeVisible();
  expect(await microphoneRequests(page)).toBe(0);
});

test("a second tab shows the call, starts no other, and can end it; the microphone can be changed during the call", async ({
  page,
  context,
}) => {
  const email = await connected(page);
  const second = await context.newPage();
  await second.goto(`${new URL(page.url()).origin}/dialer`);
  await expect(second.getByRole("alert").getByText("+44 20 7946 0001").first()).toBeVisible();
  await expect(second.getByRole("button", { name: "Call Now" })).toHaveCount(0);

  await page.bringToFront();
  await page.getByRole("button", { name: "Sound" }).click();
  const microphone = page.getByRole("combobox", { name: "Microphone" });
  await expect(microphone.locator("option")).not.toHaveCount(1);
  await microphone.selectOption({ index: 1 });
  await poll(() => microphoneRequests(page)).toBe(2);
  await expectBothWays(page);
  await expectOpenMicrophones(page, 1);

  await second.bringToFront();
  await second.getByRole("button", { name: "Hang Up" }).click();
  await backToPad(second);
  await completedCall(email);
  await expect(page.getByText("Connected", { exact: true })).toHaveCount(0);
});

test("the free echo test plays back the caller, costs nothing, and closes the microphone", async ({ page }) => {
  await watchMedia(page);
  await recordFarEnd(page);
  const email = await signUp(page);
  await page.getByRole("button", { name: "Sound check" }).click();
  const panel = page.getByRole("region", { name: "Free test call" });
  await panel.getByRole("button", { name: "Start the test call" }).click();
  await expect(panel.getByText(/\d ms/)).toBeVisible();
  await expect(panel.getByText(/^(Excellent|Good|Fair|Poor|Bad)$/)).toBeVisible();
  await expectToHaveHeard(page, MICROPHONE_HERTZ);
  expect((await booksOf(email)).held).toBe(0n);
  await page.keyboard.press("Escape");
  await expectOpenMicrophones(page, 0);
});
