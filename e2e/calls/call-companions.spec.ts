import { expect, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { expectSilence, expectToHaveHeard, expectToHear, recordFarEnd } from "../support/audio.ts";
import { dial, giveTestCredit, signUp } from "../support/customer.ts";
import { liveCall } from "../support/live-call.ts";
import { MICROPHONE_HERTZ } from "../support/tone.ts";
import { backToPad, endCall } from "../support/screens.ts";
import { TONE_LINE } from "../support/phone-network.ts";
import { poll } from "../support/poll.ts";

/** Signals ringing without a tone, so the exchange plays one. */
const RINGS_SILENTLY = "+442079460006";
/** Rings with its own tone and answers, then stays silent. */
const SILENT_LINE = "+442079460003";
const NOBODY_ANSWERS = "+442079460408";
const RINGBACK_HERTZ = [440, 480];
/** The price of one minute to the tone line. */
const ONE_MINUTE = "0.01";

interface Beep {
  hertz: number;
  atMs: number;
}

async function calling(page: Page, number: string, dollars: number | string = 5): Promise<void> {
  await signUp(page);
  await giveTestCredit(page, dollars);
  await dial(page, number);
}

const connected = (page: Page) => expect(page.getByText("Connected", { exact: true })).toBeVisible();

test("the caller hears a warning 60 and 15 seconds before the credit ends", { tag: "@full" }, async ({ page }) => {
  // Routes everything the page plays through a meter.
  await page.addInitScript(() => {
    const scope = window as unknown as { beeps: { hertz: number; atMs: number }[] };
    scope.beeps = [];
    const real = Object.getOwnPropertyDescriptor(BaseAudioContext.prototype, "destination");
    const meters = new WeakMap<BaseAudioContext, AnalyserNode>();
    Object.defineProperty(BaseAudioContext.prototype, "destination", {
      get(this: AudioContext) {
        const known = meters.get(this);
        if (known !== undefined) return known;
        const meter = this.createAnalyser();
        meters.set(this, meter);
        // Two thirds of a second: a page that was busy that long still detects the signal.
        meter.fftSize = 32_768;
        meter.smoothingTimeConstant = 0;
        meter.connect(real?.get?.call(this) as AudioNode);
        const wave = new Float32Array(meter.fftSize);
        const spectrum = new Float32Array(meter.frequencyBinCount);
        setInterval(() => {
          meter.getFloatTimeDomainData(wave);
          if (Math.max(...wave) < 0.05) return;
          meter.getFloatFrequencyData(spectrum);
          const strongest = spectrum.indexOf(Math.max(...spectrum));
          scope.beeps.push({ hertz: (strongest * this.sampleRate) / meter.fftSize, atMs: Date.now() });
        }, 50);
        return meter;
      },
    });
  });
  const beeps = async (hertz: number): Promise<Beep[]> =>
    (await page.evaluate(() => (window as unknown as { beeps: Beep[] }).beeps)).filter(
      (beep) => Math.abs(beep.hertz - hertz) < 25,
    );
  await calling(page, TONE_LINE, ONE_MINUTE);
  await connected(page);
  await poll(async () => (await beeps(880)).length).toBeGreaterThan(0);
  expect(await beeps(1175)).toEqual([]);
  // The provider tells the service about the answer, possibly later than the page.
  await poll(async () => (await liveCall(page))?.answered_at ?? null).not.toBeNull();
  const answeredMs = Date.parse((await liveCall(page))?.answered_at ?? "");
  const first = (await beeps(880))[0]?.atMs ?? 0;
  await poll(async () => (await beeps(1175)).length).toBeGreaterThan(0);
  const last = (await beeps(1175))[0]?.atMs ?? 0;
  expect(last - answeredMs).toBeGreaterThan(44_000);
  expect(last - answeredMs).toBeLessThan(48_000);
  // Each warning plays once: the first one does not repeat.
  expect((await beeps(880)).every(({ atMs }) => atMs - first < 5000)).toBe(true);
  await endCall(page);
});

for (const [name, number] of [
  ["the exchange", RINGS_SILENTLY],
  ["the far network", SILENT_LINE],
] as const) {
  // Daily runs need only one of the two, the one that also hears the microphone.
  const tag = number === RINGS_SILENTLY ? ["@full"] : [];
  test(`the ringing tone of ${name} stops with the answer`, { tag }, async ({ page }) => {
    await recordFarEnd(page);
    await calling(page, number);
    await connected(page);
    await expectToHaveHeard(page, ...RINGBACK_HERTZ);
    if (number === SILENT_LINE) await expectSilence(page);
    // This line plays back the microphone and none of our tones.
    else await expectToHear(page, MICROPHONE_HERTZ);
    await endCall(page);
  });
}

test("the ringing tone stops when the caller hangs up, at once and for good", async ({ page }) => {
  await calling(page, NOBODY_ANSWERS);
  await expectToHear(page, ...RINGBACK_HERTZ);
  await page.getByRole("button", { name: "Hang Up" }).click();
  await expectSilence(page);
  await backToPad(page);
  await poll(() =>
    page.evaluate(() => document.querySelector<HTMLAudioElement>('[data-testid="far-audio"]')?.srcObject),
  ).toBeNull();
});
