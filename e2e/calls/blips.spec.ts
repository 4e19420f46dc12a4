import { expect, type BrowserContext, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { expectBothWays } from "../support/audio.ts";
import { booksOf, completedCall, newestCall, query } from "../support/books.ts";
import { giveTestCredit, signUp, talkTo } from "../support/customer.ts";
import { takeNetwork, type LossyNetwork } from "../support/lossy-network.ts";
import { TONE_LINE } from "../support/phone-network.ts";
import { backToPad } from "../support/screens.ts";

/** A call survives a network loss: sound afterwards, and the charge for the time. */

/** How the network is lost and restored. */
type Blip = (on: { network: LossyNetwork; context: BrowserContext; page: Page }, seconds: number) => Promise<void>;

/** The browser detects the loss, as when a phone loses its signal. */
const offline: Blip = async ({ network, context, page }, seconds) => {
  network.drop(true);
  await context.setOffline(true);
  await page.waitForTimeout(seconds * 1000);
  network.drop(false);
  await context.setOffline(false);
};

/** The loss goes undetected: packets are dropped, as in a tunnel or behind a congested router. */
const silent: Blip = async ({ network, page }, seconds) => {
  network.drop(true);
  await page.waitForTimeout(seconds * 1000);
  network.drop(false);
};

const again: Blip = async (on, seconds) => {
  for (let time = 0; time < 3; time += 1) {
    await offline(on, seconds);
    await on.page.waitForTimeout(1_500);
  }
};

const otherAddress: Blip = async ({ network }) => network.changeAddress();

const kinds = { offline, silent, again, otherAddress };
const cases: readonly (readonly [kind: keyof typeof kinds, seconds: number, tag: "@full" | ""])[] = [
  ["offline", 1, "@full"],
  ["offline", 2, ""],
  ["offline", 5, "@full"],
  ["offline", 8, "@full"],
  ["offline", 15, "@full"],
  ["offline", 20, "@full"],
  ["offline", 40, "@full"],
  ["silent", 1, "@full"],
  ["silent", 2, "@full"],
  ["silent", 5, ""],
  ["silent", 8, "@full"],
  ["silent", 15, "@full"],
  ["silent", 20, "@full"],
  ["silent", 40, "@full"],
  ["again", 2, "@full"],
  ["otherAddress", 0, ""],
];

for (const [kind, seconds, tag] of cases)
  test(`a call survives a network loss: ${kind}, ${seconds} s`, { tag: tag === "" ? [] : [tag] }, async ({ page, context }) => {
    test.setTimeout(120_000 + 3 * seconds * 1000);
    const network = await takeNetwork(page);
    const email = await signUp(page);
    await giveTestCredit(page, 5);
    await talkTo(page, TONE_LINE);
    await expectBothWays(page);

    await kinds[kind]({ network, context, page }, seconds);
    const backMs = Date.now();
    await expectBothWays(page);
    await expect(page.getByText("Connected", { exact: true })).toBeVisible();
    await expect(page.getByText("Reconnecting...")).toBeHidden();
    const soundAfterMs = Date.now() - backMs;

    await page.getByRole("button", { name: "Hang Up" }).click();
    const call = await completedCall(email);
    expect(call.recorded).toBe(call.recomputed);
    expect(await booksOf(email)).toMatchObject({ held: 0n, sum: 0n });
    test.info().annotations.push({ type: "sound both ways after", description: `${(soundAfterMs / 1000).toFixed(1)} s` });
    console.log(`${kind} ${seconds} s: sound both ways ${(soundAfterMs / 1000).toFixed(1)} s after`);
    network.close();
  });

const dialledOnto: readonly (readonly [line: string, lose: (network: LossyNetwork) => Promise<void>, tag: "@full" | ""])[] = [
  ["a line that is dead, which nobody has noticed", async (network) => network.changeAddress(), ""],
  ...([1, 4, 9] as const).map((seconds) => {
    const lose = async (network: LossyNetwork) => {
      network.drop(true);
      setTimeout(() => network.drop(false), seconds * 1000);
    };
    return [`a line without packets for ${seconds} s`, lose, seconds === 9 ? "" : "@full"] as const;
  }),
];

for (const [line, lose, tag] of dialledOnto)
  test(`a call dialled on ${line} connects, as one call`, { tag: tag === "" ? [] : [tag] }, async ({ page }) => {
    const network = await takeNetwork(page);
    const email = await signUp(page);
    await giveTestCredit(page, 5);
    await talkTo(page, TONE_LINE);
    await page.getByRole("button", { name: "Hang Up" }).click();
    await backToPad(page);
    const first = await newestCall(email);

    await lose(network);
    await talkTo(page, TONE_LINE);
    await expectBothWays(page);
    await page.getByRole("button", { name: "Hang Up" }).click();
    const call = await completedCall(email);
    expect(call.id).not.toBe(first.id);
    expect(call).toMatchObject({ entries: 1, recorded: call.recomputed });
    const made = "select count(*)::int as calls from call c join customer p on p.id = c.customer_id where p.email = $1";
    expect(await query(made, [email])).toEqual({ calls: 2 });
    expect(await booksOf(email)).toMatchObject({ held: 0n, sum: 0n });
    network.close();
  });
