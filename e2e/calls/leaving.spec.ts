import { chromium, expect, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { expectToHear } from "../support/audio.ts";
import { faultsNow } from "../support/axe.ts";
import { booksOf, completedCall, expectChargedOnce, newestCall, query } from "../support/books.ts";
import { dial, giveTestCredit, sessionHeaders, signUp } from "../support/customer.ts";
import { askForMicrophone, closePeers, watchMedia } from "../support/media-watch.ts";
import { AFTER_CALL } from "../support/parts.ts";
import { networkCall, TONE_HERTZ, TONE_LINE } from "../support/phone-network.ts";
import { backToPad, sidewaysScroll } from "../support/screens.ts";
import { takeVoiceSocket } from "../support/voice-socket.ts";
import { poll } from "../support/poll.ts";

/** A line that greets, and hangs up this long after the answer. */
const HANGS_UP = "+442079460004";
const HANGS_UP_AFTER_MS = 5000;

async function calling(page: Page, number: string): Promise<string> {
  const email = await signUp(page);
  await giveTestCredit(page, 5);
  await dial(page, number);
  return email;
}

async function connected(page: Page): Promise<string> {
  const email = await calling(page, TONE_LINE);
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  return email;
}

const endedMs = async (number: string): Promise<number> => Date.parse((await networkCall(number))?.endedAt ?? "");

/** Expects this customer's call to be settled once, for its duration at the far end. */
async function expectRightCharge(email: string, number: string): Promise<void> {
  await poll(async () => (await networkCall(number))?.state).toBe("ended");
  await completedCall(email);
  const [call, far] = [await newestCall(email), await networkCall(number)];
  const talkedS = (Date.parse(far?.endedAt ?? "") - Date.parse(far?.answeredAt ?? "")) / 1000;
  expect(Math.abs(call.seconds - talkedS), `charged ${call.seconds} s of ${talkedS} s`).toBeLessThan(1.5);
  expectChargedOnce(call);
  expect(await booksOf(email)).toMatchObject({ held: 0n, pending: 0n, sum: 0n });
}

/** Closes the page and waits until the service records it. Returns the time of the hang-up, in milliseconds since 1970. */
async function leave(page: Page, email: string): Promise<number> {
  const { id } = await newestCall(email);
  const closedMs = Date.now();
  await page.close({ runBeforeUnload: true });
  let dueMs = 0;
  await poll(async () => {
    const { hang_up_at } = await query<{ hang_up_at: Date | null }>("select hang_up_at from call where id = $1", [id]);
    dueMs = hang_up_at?.getTime() ?? 0;
    return dueMs;
  }).toBeGreaterThan(closedMs + 9000);
  return dueMs;
}

/** Expects the end no sooner than due and at most five seconds later: 15 seconds after the page closed. */
async function expectToEndWhenDue(dueMs: number): Promise<void> {
  await poll(async () => (await networkCall(TONE_LINE))?.state).toBe("ended");
  const lateMs = (await endedMs(TONE_LINE)) - dueMs;
  expect(lateMs).toBeGreaterThanOrEqual(0);
  expect(lateMs).toBeLessThan(5000);
}

test(
  "a call whose tab is closed ends at the far end within 15 seconds, and is charged until then",
  { tag: "@full" },
  async ({ page }) => {
    const email = await connected(page);
    await expectToHear(page, TONE_HERTZ);
    await expectToEndWhenDue(await leave(page, email));
    await expectRightCharge(email, TONE_LINE);
  },
);

test(
  "a call whose browser is killed without notice ends and is settled within a minute of the kill",
  { tag: "@full" },
  async () => {
    const server = await chromium.launchServer(test.info().project.use.launchOptions ?? {});
    const browser = await chromium.connect(server.wsEndpoint());
    const page = await (await browser.newContext({ permissions: ["microphone"], serviceWorkers: "block" })).newPage();
    const email = await connected(page);
    // If killed before audio flows, the call would end when the media connection fails, before the grace period.
    await expectToHear(page, TONE_HERTZ);
    const killedMs = Date.now();
    await server.kill();
    await poll(async () => (await networkCall(TONE_LINE))?.state).toBe("ended");
    const tookMs = (await endedMs(TONE_LINE)) - killedMs;
    expect(tookMs).toBeGreaterThan(40_000);
    expect(tookMs).toBeLessThan(55_000);
    await expectRightCharge(email, TONE_LINE);
    const { settled_at: settledAt } = await query<{ settled_at: Date }>(
      "select created_at as settled_at from ledger_transaction where reference_id = $1",
      [(await newestCall(email)).id],
    );
    expect(settledAt.getTime() - killedMs).toBeLessThan(60_000);
  },
);

test("after a reload every page offers the call without the phone engine, and one press rejoins it", async ({ page }) => {
  const email = await connected(page);
  await askForMicrophone(page);
  await page.goto(`${new URL(page.url()).origin}/history`);
  const strip = page.getByRole("alert", { name: "Your call is still open" });
  await expect(strip).toContainText("+44 20 7946 0001");
  const scripts = new Set<string>();
  page.on("response", (response) => response.url().endsWith(".js") && scripts.add(response.url()));
  await page.goto(`${new URL(page.url()).origin}/account`);
  await expect(strip).toBeVisible();
  await page.setViewportSize({ width: 360, height: 700 });
  expect(await sidewaysScroll(page)).toBe("");
  expect(await faultsNow(page, "the open call", "section[role=alert]")).toEqual([]);

  // The open page is enough: without a press, the service cancels the hang-up.
  const { id } = await newestCall(email);
  const due = async () =>
    (await query<{ hang_up_at: Date | null }>("select hang_up_at from call where id = $1", [id])).hang_up_at;
  await poll(due).toBeNull();
  expect((await networkCall(TONE_LINE))?.state).toBe("answered");
  const before = [...scripts];
  await strip.getByRole("button", { name: "Rejoin" }).click();
  await expect(page).toHaveURL(/\/dialer$/);
  await expect(page.getByText("Connected", { exact: true })).toBeVisible();
  await expectToHear(page, TONE_HERTZ);
  const engine = async (urls: Iterable<string>) => {
    const texts = await Promise.all([...urls].map(async (url) => await (await page.request.get(url)).text()));
    return texts.filter((text) => text.includes("telnyx_rtc.invite")).length;
  };
  expect(before.length).toBeGreaterThan(0);
  expect(await engine(before)).toBe(0);
  expect(await engine(scripts)).toBe(1);
  await page.getByRole("button", { name: "Hang Up" }).click();
  await expectRightCharge(email, TONE_LINE);
});

test(
  "another tab shows the call on every page and can end it, but does not keep it alive when the call's tab is closed",
  { tag: "@full" },
  async ({ page, context }) => {
    const email = await connected(page);
    const second = await context.newPage();
    await second.goto(`${new URL(page.url()).origin}/billing`);
    const strip = second.getByRole("alert", { name: "A call is open elsewhere" });
    await strip.getByRole("button", { name: "Hang Up" }).click();
    await expect(strip).toBeHidden();
    await expectRightCharge(email, TONE_LINE);
    await backToPad(page);

    await page.getByLabel("Phone number").fill(TONE_LINE);
    await page.getByRole("button", { name: "Call Now" }).click();
    await expect(page.getByText("Connected", { exact: true })).toBeVisible();
    await expect(strip).toBeVisible();
    const dueMs = await leave(page, email);
    // This tab's request for the call does not count as the return of the call's page.
    await Promise.all([second.waitForResponse(/\/api\/calls\/live/), second.reload()]);
    await expectToEndWhenDue(dueMs);
    await expect(strip).toBeHidden();
    await expectRightCharge(email, TONE_LINE);
  },
);

test(
  "a page without a network shows no live call 10 seconds after the exchange ended it",
  { tag: "@full" },
  async ({ page, context }) => {
    await watchMedia(page);
    const socket = await takeVoiceSocket(page);
    const email = await connected(page);
    await recordWhenReconnectingEnds(page);
    socket.block(true);
    await context.setOffline(true);
    await closePeers(page);
    await socket.cut();
    await expect(page.getByText("Reconnecting...")).toBeVisible();
    await expect(page.getByText("Connected", { exact: true })).toBeHidden();

    await poll(async () => (await networkCall(TONE_LINE))?.state).toBe("ended");
    await expect(page.getByText("Reconnecting...")).toBeHidden();
    const gaveUpMs = await page.evaluate(() => (window as unknown as { reconnectingEndedMs: number }).reconnectingEndedMs);
    expect(gaveUpMs - (await endedMs(TONE_LINE))).toBeLessThan(10_000);
    await expectRightCharge(email, TONE_LINE);
    socket.block(false);
    await context.setOffline(false);
    await backToPad(page);
  },
);

test("a call that ended while the page was offline ends on the page as soon as the network is back", async ({
  page,
  context,
}) => {
  const socket = await takeVoiceSocket(page);
  const email = await connected(page);
  const hangUp = await hangUpOf(page, email);
  socket.block(true);
  await context.setOffline(true);
  await socket.cut();
  await expect(page.getByText("Reconnecting...")).toBeVisible();
  expect(await hangUp()).toBe(200);
  await poll(async () => (await networkCall(TONE_LINE))?.state).toBe("ended");
  socket.block(false);
  await context.setOffline(false);
  await expect(page.locator(AFTER_CALL)).toBeVisible();
  await expectRightCharge(email, TONE_LINE);
});

/** Records in the page when it stops showing that it reconnects, in milliseconds since 1970. */
async function recordWhenReconnectingEnds(page: Page): Promise<void> {
  await page.evaluate(() => {
    const scope = window as unknown as { reconnectingEndedMs: number };
    let said = false;
    new MutationObserver(() => {
      const says =
        document.querySelector("section:has([role=timer]) span[role=status]")?.textContent?.includes("Reconnecting...") ?? false;
      if (said && !says) scope.reconnectingEndedMs = Date.now();
      said = says;
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
}

/** Returns a function that hangs up the newest call from outside the page, and returns the service's status. */
async function hangUpOf(page: Page, email: string): Promise<() => Promise<number>> {
  const { id } = await newestCall(email);
  const headers = await sessionHeaders(page);
  return async () => (await page.request.post(`/api/calls/${id}/hangup`, { headers })).status();
}

for (const [moment, number] of [
  ["from two sides at once, and with a key pressed twice,", TONE_LINE],
  ["at the moment the far end hangs up", HANGS_UP],
] as const) {
  // The second case waits for the far end. Each order of two hang-ups has a service test.
  const tag = number === HANGS_UP ? ["@full"] : [];
  test(`hang-ups ${moment} all succeed, and settle the call once`, { tag }, async ({ page }) => {
    const email = await calling(page, number);
    // Does not wait for the page: this call may be over before its status can be read.
    if (number === HANGS_UP) await poll(async () => (await networkCall(number))?.state).toMatch(/answered|ended/);
    else await expect(page.getByText("Connected", { exact: true })).toBeVisible();
    const hangUp = await hangUpOf(page, email);
    if (number === HANGS_UP) {
      const dueMs = Date.parse((await networkCall(number))?.answeredAt ?? "") + HANGS_UP_AFTER_MS;
      await expect.poll(() => Date.now(), { intervals: [5] }).toBeGreaterThanOrEqual(dueMs - 20);
      expect(await Promise.all([hangUp(), hangUp()])).toEqual([200, 200]);
    } else {
      const key = await page.getByRole("button", { name: "Hang Up" }).elementHandle();
      const twice = key?.evaluate((element) => {
        for (let times = 0; times < 2; times++) (element as HTMLElement).click();
      });
      expect(await Promise.all([hangUp(), hangUp()])).toEqual([200, 200]);
      await twice;
    }
    await expectRightCharge(email, number);
    expect(await hangUp()).toBe(200);
    expect((await newestCall(email)).entries).toBe(1);
    await backToPad(page);
  });
}
