import { existsSync, writeFileSync } from "node:fs";
import { chromium, type Page } from "@playwright/test";
import { booksOf } from "@farline/e2e/books.ts";
import { giveTestCredit, signUp } from "@farline/e2e/customer.ts";
import { MICROPHONE_FILE, MICROPHONE_HERTZ } from "@farline/e2e/microphone.ts";
import { databaseUrlOf, removeData, startProduct } from "@farline/e2e/product.ts";
import { toneWav } from "@farline/e2e/tone.ts";

const RINGING_LINE = "+442079460408";
const INSTANT_LINE = "+442079460001";
const CALLS = 12;

/**
 * Milliseconds from the click on Call Now until sound comes out of the page: the first ringback of a line that rings, and
 * the far end of a line that answers at once. The first call of a page is cold and told apart.
 */
export async function callSetup(): Promise<Record<string, unknown>> {
  writeFileSync(MICROPHONE_FILE, toneWav(MICROPHONE_HERTZ, 20));
  const product = await startProduct();
  const executablePath = [process.env["CHROMIUM_PATH"], "/usr/bin/chromium"].find((path) => path && existsSync(path));
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: [
      "--no-sandbox",
      "--autoplay-policy=no-user-gesture-required",
      "--disable-background-networking",
      "--use-fake-ui-for-media-stream",
      "--use-fake-device-for-media-stream",
      `--use-file-for-fake-audio-capture=${MICROPHONE_FILE}`,
    ],
  });
  try {
    const page = await (await browser.newContext({ permissions: ["microphone"] })).newPage();
    const email = await signUp(page, product.url);
    await giveTestCredit(page, 50);
    const free = async () => (await booksOf(email, databaseUrlOf(product))).held === 0n;
    const ringback: number[] = [];
    for (let call = 0; call < CALLS; call++) ringback.push(await clickToSound(page, RINGING_LINE, free));
    const answered: number[] = [];
    for (let call = 0; call < CALLS; call++) answered.push(await clickToSound(page, INSTANT_LINE, free));
    return {
      clickToRingbackMs: { cold: ringback[0], warm: spread(ringback.slice(1)) },
      clickToFarEndOfALineThatAnswersAtOnceMs: spread(answered),
    };
  } finally {
    await browser.close();
    await product.stop();
    removeData(product);
  }
}

async function clickToSound(page: Page, number: string, free: () => Promise<boolean>): Promise<number> {
  await page.getByLabel("Phone number").fill(number);
  await page.getByRole("button", { name: "Call Now" }).waitFor();
  const took = await page.evaluate(measureInPage);
  await page.getByRole("button", { name: "Hang Up" }).click();
  await page.getByRole("button", { name: "Call Now" }).waitFor();
  for (let tries = 0; tries < 200 && !(await free()); tries++) await page.waitForTimeout(50);
  return took;
}

/** Runs in the page: clicks, then looks at what the far end's element plays every few milliseconds. */
async function measureInPage(): Promise<number> {
  const audible = 0.003;
  const limitMs = 10_000;
  const button = [...document.querySelectorAll("button")].find((one) => one.textContent?.includes("Call Now"));
  const context = new AudioContext();
  await context.resume();
  const analyser = context.createAnalyser();
  analyser.fftSize = 256;
  const wave = new Float32Array(analyser.fftSize);
  const audio = document.querySelector<HTMLAudioElement>('[data-testid="far-audio"]');
  const before = audio?.srcObject;
  let listening = false;
  const clicked = performance.now();
  button?.click();
  while (performance.now() - clicked < limitMs) {
    await new Promise((tick) => setTimeout(tick, 2));
    const stream = audio?.srcObject;
    if (!listening && stream instanceof MediaStream && stream !== before && stream.getAudioTracks().length > 0) {
      context.createMediaStreamSource(stream).connect(analyser);
      listening = true;
    }
    analyser.getFloatTimeDomainData(wave);
    if (listening && wave.some((sample) => Math.abs(sample) > audible)) {
      const took = performance.now() - clicked;
      await context.close();
      return Math.round(took);
    }
  }
  await context.close();
  return Number.NaN;
}

function spread(values: readonly number[]): { min: number; median: number; max: number } {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    min: sorted[0] ?? Number.NaN,
    median: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
    max: sorted.at(-1) ?? Number.NaN,
  };
}
