import { AxeBuilder } from "@axe-core/playwright";
import { chromium, expect, test, type Page } from "@playwright/test";
import { expectToHear } from "./audio.ts";
import { booksOf, newestCall } from "./books.ts";
import { dial, giveTestCredit, signUp, tokenOf } from "./customer.ts";
import { networkCall } from "./phone-network.ts";
import { sidewaysScroll, TONE_LINE } from "./screens.ts";
import { takeVoiceSocket } from "./voice-socket.ts";

const TONE_HERTZ = 1000;
/** Greets, and hangs up by itself this long after the answer. */
const HANGS_UP = "+442079460004";
const HANGS_UP_AFTER_MS = 5000;

async function connected(page: Page, number = TONE_LINE): Promise<string> {
  const email = await signUp(page);
  await giveTestCredit(page, 5);
  await dial(page, number);
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  return email;
}

const endedMs = async (number: string): Promise<number> => Date.parse((await networkCall(number))?.endedAt ?? "");

/** The call of this customer is settled once, for what it lasted at the far end. */
async function expectRightCharge(email: string, number: string): Promise<void> {
  await expect.poll(async () => (await newestCall(email)).status).toBe("completed");
  const [call, far] = [await newestCall(email), await networkCall(number)];
  const talkedS = (Date.parse(far?.endedAt ?? "") - Date.parse(far?.answeredAt ?? "")) / 1000;
  expect(Math.abs(call.seconds - talkedS), `charged ${call.seconds} s of ${talkedS} s`).toBeLessThan(1.5);
  expect(call.recorded).toBe(call.recomputed);
  expect(call.booked).toBe(call.recomputed);
  expect(call.entries).toBe(1);
  expect(await booksOf(email)).toMatchObject({ held: 0n, pending: 0n, sum: 0n });
}

/** Keeps the page's connections at hand, before any script of the page runs. */
async function watchPeers(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const scope = window as unknown as { peers: RTCPeerConnection[] };
    scope.peers = [];
    const Original = window.RTCPeerConnection;
    window.RTCPeerConnection = class extends Original {
      constructor(configuration?: RTCConfiguration) {
        super(configuration);
        scope.peers.push(this);
      }
    };
  });
}

test("F14: a call whose tab is closed is over at the far end within 15 seconds, and charged up to there", async ({ page }) => {
  const email = await connected(page);
  await expectToHear(page, TONE_HERTZ);
  const closedMs = Date.now();
  await page.close({ runBeforeUnload: true });
  await expect.poll(async () => (await networkCall(TONE_LINE))?.state, { timeout: 20_000 }).toBe("ended");
  const tookMs = (await endedMs(TONE_LINE)) - closedMs;
  expect(tookMs).toBeGreaterThan(9000);
  expect(tookMs).toBeLessThan(15_000);
  await expectRightCharge(email, TONE_LINE);
});

test("F14: a browser that is killed says nothing, and its call is over and settled within a minute", async () => {
  const server = await chromium.launchServer(test.info().project.use.launchOptions ?? {});
  const browser = await chromium.connect(server.wsEndpoint());
  const page = await (await browser.newContext({ permissions: ["microphone"], serviceWorkers: "block" })).newPage();
  const email = await connected(page);
  // Killed before its sound is through, the call would end when the sound's connection fails, sooner than the grace.
  await expectToHear(page, TONE_HERTZ);
  const killedMs = Date.now();
  await server.kill();
  await expect.poll(async () => (await networkCall(TONE_LINE))?.state, { timeout: 60_000 }).toBe("ended");
  const tookMs = (await endedMs(TONE_LINE)) - killedMs;
  expect(tookMs).toBeGreaterThan(40_000);
  expect(tookMs).toBeLessThan(55_000);
  await expectRightCharge(email, TONE_LINE);
  expect(Date.now() - killedMs).toBeLessThan(60_000);
});

test("a call is offered on every page after it was loaded anew, without the phone's engine, and goes on with one press", async ({
  page,
}) => {
  const email = await connected(page);
  await page.goto(`${new URL(page.url()).origin}/history`);
  const strip = page.getByRole("alert", { name: "Your call is still open" });
  await expect(strip).toContainText("+44 20 7946 0001");
  await page.goto(`${new URL(page.url()).origin}/account`);
  await expect(strip).toBeVisible();
  await page.setViewportSize({ width: 360, height: 700 });
  expect(await sidewaysScroll(page)).toBe("");
  const { violations } = await new AxeBuilder({ page }).include(".openstrip").analyze();
  expect(violations).toEqual([]);

  // Longer than a page that left is waited for: this one is there, although nobody has pressed anything.
  const shownMs = Date.now();
  await expect.poll(() => Date.now() - shownMs, { timeout: 20_000 }).toBeGreaterThan(12_000);
  expect((await networkCall(TONE_LINE))?.state).toBe("answered");
  const engine = () =>
    page.evaluate(async () => {
      const scripts = performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".js"));
      const texts = await Promise.all(scripts.map(async ({ name }) => (await fetch(name)).text()));
      return texts.filter((text) => text.includes("telnyx_rtc.invite")).length;
    });
  expect(await engine()).toBe(0);
  await strip.getByRole("button", { name: "Rejoin" }).click();
  await expect(page).toHaveURL(/\/dialer$/);
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await expectToHear(page, TONE_HERTZ);
  expect(await engine()).toBe(1);
  await page.getByRole("button", { name: "Hang Up" }).click();
  await expectRightCharge(email, TONE_LINE);
});

test("another tab shows the call on every page and ends it, and does not keep it alive when its own tab is closed", async ({
  page,
  context,
}) => {
  const email = await connected(page);
  const second = await context.newPage();
  await second.goto(`${new URL(page.url()).origin}/billing`);
  const strip = second.getByRole("alert", { name: "A call is open elsewhere" });
  await strip.getByRole("button", { name: "Hang Up" }).click();
  await expect(strip).toBeHidden();
  await expectRightCharge(email, TONE_LINE);
  await expect(page.getByRole("button", { name: "Call Now" })).toBeVisible();

  await page.getByLabel("Phone number").fill(TONE_LINE);
  await page.getByRole("button", { name: "Call Now" }).click();
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await expect(strip).toBeVisible();
  const closedMs = Date.now();
  await page.close({ runBeforeUnload: true });
  await second.reload();
  await expect(strip).toBeVisible();
  await expect(strip).toBeHidden({ timeout: 20_000 });
  expect((await endedMs(TONE_LINE)) - closedMs).toBeLessThan(15_000);
  await expectRightCharge(email, TONE_LINE);
});

test("F15: cut off from everything, the page shows no live call 10 seconds after the exchange has given it up", async ({
  page,
  context,
}) => {
  test.setTimeout(180_000);
  await watchPeers(page);
  const socket = await takeVoiceSocket(page);
  const email = await connected(page);
  socket.block(true);
  await context.setOffline(true);
  await page.evaluate(() => {
    for (const peer of (window as unknown as { peers: RTCPeerConnection[] }).peers) peer.close();
  });
  await socket.cut();
  await expect(page.getByText("Reconnecting...")).toBeVisible({ timeout: 10_000 });
  await expect(page.getByText("Connected", { exact: true })).toBeHidden();

  await expect.poll(async () => (await networkCall(TONE_LINE))?.state, { timeout: 60_000 }).toBe("ended");
  await expect(page.getByText("Reconnecting...")).toBeHidden({ timeout: 20_000 });
  expect(Date.now() - (await endedMs(TONE_LINE))).toBeLessThan(10_000);
  await expectRightCharge(email, TONE_LINE);
  socket.block(false);
  await context.setOffline(false);
  await expect(page.getByRole("button", { name: "Call Now" })).toBeVisible();
});

test("F15: a call that ended while the network was away is over on the page as soon as the network is back", async ({
  page,
  context,
}) => {
  const socket = await takeVoiceSocket(page);
  const email = await connected(page, HANGS_UP);
  socket.block(true);
  await context.setOffline(true);
  await socket.cut();
  await expect(page.getByText("Reconnecting...")).toBeVisible();
  await expect.poll(async () => (await networkCall(HANGS_UP))?.state).toBe("ended");
  socket.block(false);
  await context.setOffline(false);
  await expect(page.getByRole("button", { name: "Call Now" })).toBeVisible({ timeout: 10_000 });
  await expectRightCharge(email, HANGS_UP);
});

for (const [moment, number] of [
  ["from two sides at once, and with a key pressed twice,", TONE_LINE],
  ["at the moment the far end hangs up", HANGS_UP],
] as const) {
  test(`F17: hang-ups ${moment} are all answered, and settle the call once`, async ({ page }) => {
    const email = await connected(page, number);
    const { id } = await newestCall(email);
    const headers = { authorization: `Bearer ${await tokenOf(page)}` };
    const hangUp = async () => (await page.request.post(`/api/calls/${id}/hangup`, { headers })).status();
    if (number === HANGS_UP) {
      const dueMs = Date.parse((await networkCall(number))?.answeredAt ?? "") + HANGS_UP_AFTER_MS;
      await expect.poll(() => Date.now(), { intervals: [5] }).toBeGreaterThanOrEqual(dueMs - 20);
      expect(await Promise.all([hangUp(), hangUp()])).toEqual([200, 200]);
    } else {
      const twice = page.getByRole("button", { name: "Hang Up" }).evaluate((key: HTMLElement) => {
        key.click();
        key.click();
      });
      expect(await Promise.all([hangUp(), hangUp()])).toEqual([200, 200]);
      await twice;
    }
    await expectRightCharge(email, number);
    expect(await hangUp()).toBe(200);
    expect((await newestCall(email)).entries).toBe(1);
    await expect(page.getByRole("button", { name: "Call Now" })).toBeVisible();
  });
}
