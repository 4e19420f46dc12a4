import { booksOf } from "@farline/e2e/support/books.ts";
import { databaseUrlOf } from "@farline/e2e/support/product.ts";
import { TONE_LINE } from "@farline/e2e/support/screens.ts";
import type { Page } from "@playwright/test";
import { withSignedInPage } from "./signed-in-page.ts";
import { spread } from "./spread.ts";

export const RINGING_LINE = "+442079460408";
const CALLS = 12;

/**
 * Milliseconds from the click on Call Now until the page plays sound: the first ringback of a ringing line, and the far end
 * of a line that answers at once. A page's first call is cold and reported separately.
 */
export async function callSetup(): Promise<Record<string, unknown>> {
  return await withSignedInPage(50, async ({ page, email, product }) => {
    const free = async () => (await booksOf(email, databaseUrlOf(product))).held === 0n;
    const ringback: number[] = [];
    for (let call = 0; call < CALLS; call++) ringback.push(await clickToSound(page, RINGING_LINE, free));
    const answered: number[] = [];
    for (let call = 0; call < CALLS; call++) answered.push(await clickToSound(page, TONE_LINE, free));
    return {
      clickToRingbackMs: { cold: ringback[0], warm: spread(ringback.slice(1)) },
      clickToFarEndOfALineThatAnswersAtOnceMs: spread(answered),
    };
  });
}

/** Calls once and hangs up again. */
export async function clickToSound(page: Page, number: string, free: () => Promise<boolean>): Promise<number> {
  await page.getByLabel("Phone number").fill(number);
  await page.getByRole("button", { name: "Call Now" }).waitFor();
  const took = await page.evaluate(measureInPage);
  await page.getByRole("button", { name: "Hang Up" }).click();
  await page.getByRole("button", { name: "Call Now" }).waitFor();
  for (let tries = 0; tries < 200 && !(await free()); tries++) await page.waitForTimeout(50);
  return took;
}

/** Runs in the page: clicks, then samples every few milliseconds what the page plays: the line's sound, and its own ringback before. */
async function measureInPage(): Promise<number> {
  const AUDIBLE_LEVEL = 0.003;
  const LIMIT_MS = 10_000;
  const button = [...document.querySelectorAll("button")].find((one) => one.textContent?.includes("Call Now"));
  const context = new AudioContext();
  await context.resume();
  const analyser = context.createAnalyser();
  analyser.fftSize = 256;
  const wave = new Float32Array(analyser.fftSize);
  const audio = document.querySelector<HTMLAudioElement>('[data-testid="far-audio"]');
  const before = audio?.srcObject;
  // The page's own ringback goes straight to the loudspeaker, so it is tapped on its way there.
  const { connect } = AudioNode.prototype;
  const taps: AnalyserNode[] = [];
  GainNode.prototype.connect = function tapped(this: GainNode, ...to: Parameters<typeof connect>) {
    const tap = new AnalyserNode(this.context, { fftSize: 256 });
    Reflect.apply(connect, this, [tap]);
    taps.push(tap);
    return Reflect.apply(connect, this, to);
  } as typeof connect;
  let listening = false;
  const clicked = performance.now();
  button?.click();
  while (performance.now() - clicked < LIMIT_MS) {
    await new Promise((tick) => setTimeout(tick, 2));
    const stream = audio?.srcObject;
    if (!listening && stream instanceof MediaStream && stream !== before && stream.getAudioTracks().length > 0) {
      context.createMediaStreamSource(stream).connect(analyser);
      listening = true;
    }
    const audible = [analyser, ...taps].some((tap) => {
      tap.getFloatTimeDomainData(wave);
      return wave.some((sample) => Math.abs(sample) > AUDIBLE_LEVEL);
    });
    if (audible) {
      const took = performance.now() - clicked;
      Reflect.deleteProperty(GainNode.prototype, "connect");
      await context.close();
      return Math.round(took);
    }
  }
  await context.close();
  return Number.NaN;
}
