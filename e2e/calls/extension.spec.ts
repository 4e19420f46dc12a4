import { expect, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { booksOf, completedCall } from "../support/books.ts";
import { expectToHear } from "../support/audio.ts";
import { dial, giveTestCredit, signUp } from "../support/customer.ts";
import { liveCall } from "../support/live-call.ts";
import { MICROPHONE_HERTZ } from "../support/tone.ts";
import { networkCall } from "../support/phone-network.ts";
import { poll } from "../support/poll.ts";

/** Rings, greets, and plays back what it hears. Expensive, so that a few cents last a few seconds. */
const ACCRA = "+233200000142";
/** Tolerance of a call's end at the far end. */
const EXACTNESS_S = 1;
/** Tolerance in the page: audio is buffered, for longer on a busy machine. */
const HEARD_EXACTNESS_S = 1.5;

async function centsAMinute(page: Page): Promise<number> {
  const answer = await page.request.post("/api/rates/lookup-number", {
    data: { phone_number: ACCRA },
    headers: { connection: "close" },
  });
  const { rate } = (await answer.json()) as { rate: { rate_per_minute: string } };
  return Number(rate.rate_per_minute) * 100;
}

/** Records in the page when it last played sound from the far end, in milliseconds since 1970. */
async function listen(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const scope = window as unknown as { lastSoundMs: number };
    scope.lastSoundMs = 0;
    const stream = document.querySelector<HTMLAudioElement>('[data-testid="far-audio"]')?.srcObject;
    if (!(stream instanceof MediaStream)) throw new Error("The page plays nothing.");
    const context = new AudioContext();
    const analyser = context.createAnalyser();
    analyser.fftSize = 2048;
    context.createMediaStreamSource(stream).connect(analyser);
    const wave = new Float32Array(analyser.fftSize);
    setInterval(() => {
      analyser.getFloatTimeDomainData(wave);
      if (wave.some((sample) => Math.abs(sample) > 0.02)) scope.lastSoundMs = Date.now();
    }, 50);
  });
  return () => page.evaluate(() => (window as unknown as { lastSoundMs: number }).lastSoundMs);
}

test(
  "a top-up extends a running call, which is cut within a second of its new limit and charged what was held",
  { tag: "@full" },
  async ({ page }) => {
    const email = await signUp(page);
    const cents = await centsAMinute(page);
    // A call needs credit for at least one minute.
    await giveTestCredit(page, (Math.ceil(cents) / 100).toFixed(2));
    await dial(page, ACCRA);
    await expect(page.getByText("Connected", { exact: true })).toBeVisible();
    const lastSoundMs = await listen(page);
    const before = await liveCall(page);
    expect(before).toMatchObject({ bounded_by: "credit" });
    expect(before?.max_seconds).toBeLessThan(70);

    await giveTestCredit(page, "0.03");
    await poll(async () => (await liveCall(page))?.max_seconds ?? 0).toBeGreaterThan((before?.max_seconds ?? 0) + 3);
    const call = await liveCall(page);
    const limitS = call?.max_seconds ?? 0;
    expect(limitS).toBe(Math.floor(((Math.ceil(cents) + 3) / cents) * 60));

    // Sound continues past the old limit; at the new one both sides end.
    const answeredMs = Date.parse(call?.answered_at ?? "");
    await poll(() => Date.now() - answeredMs).toBeGreaterThan(((before?.max_seconds ?? 0) + 1) * 1000);
    await expectToHear(page, MICROPHONE_HERTZ);
    await poll(async () => (await networkCall(ACCRA))?.state).toBe("ended");
    // The result stays on screen, with a link to top up.
    await expect(page.getByRole("heading", { name: "Your credit was used up" })).toBeVisible();
    await expect(page.getByText(/^1 min \d+ s, \$0\.\d{4}\.$/)).toBeVisible();
    await expect(page.getByRole("main").getByRole("link", { name: "Top up $5", exact: true })).toBeVisible();

    const heardS = ((await lastSoundMs()) - answeredMs) / 1000;
    expect(Math.abs(heardS - limitS), `heard until ${heardS} s of ${limitS} s`).toBeLessThan(HEARD_EXACTNESS_S);
    const far = await networkCall(ACCRA);
    const talkedS = (Date.parse(far?.endedAt ?? "") - Date.parse(far?.answeredAt ?? "")) / 1000;
    expect(Math.abs(talkedS - limitS), `talked ${talkedS} s of ${limitS} s`).toBeLessThan(EXACTNESS_S);

    const booked = await completedCall(email);
    expect(booked.recorded).toBe(booked.booked);
    expect(booked.entries).toBe(1);
    const books = await booksOf(email);
    expect(books).toMatchObject({ held: 0n, pending: 0n, sum: 0n });
    expect(books.balance).toBeLessThan(10_000n);
  },
);

test("new credit is shown at once, in every tab, without a reload", async ({ page, context }) => {
  await signUp(page);
  const second = await context.newPage();
  await second.goto("/billing");
  const balance = (tab: Page) => tab.getByRole("link", { name: "Balance USD $7.00" }).first();
  await giveTestCredit(page, 7);
  // Well before the page would poll.
  await Promise.all([expect(balance(page)).toBeVisible(), expect(balance(second)).toBeVisible()]);

  // The tabs shared the first tab's connection; when it closes, the second opens its own.
  await page.close();
  await poll(async () => {
    await giveTestCredit(second, 1);
    return await second.getByRole("link", { name: /^Balance USD \$([89]|[1-9]\d)\.00/ }).count();
  }).toBeGreaterThan(0);
});
