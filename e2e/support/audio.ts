import type { Page } from "@playwright/test";
import { networkCall, TONE_HERTZ, TONE_LINE } from "./phone-network.ts";
import { poll } from "./poll.ts";
import { MICROPHONE_HERTZ } from "./tone.ts";

/** Tolerance of a tone's frequency. */
const TOLERANCE_HZ = 10;

/**
 * Runs in the page. The strongest frequency (Hz) of the far end's sound in the next 400 ms, and its level (0 to 1). 0 Hz for
 * silence. Recorded and decoded, because a live analyser stands still in Firefox on a machine without a sound card.
 */
async function hearFarEnd(): Promise<{ hertz: number; level: number }> {
  const NOTHING = { hertz: 0, level: 0 };
  const stream = document.querySelector<HTMLAudioElement>('[data-testid="far-audio"]')?.srcObject;
  if (!(stream instanceof MediaStream) || !stream.getAudioTracks().some(({ readyState }) => readyState === "live"))
    return NOTHING;
  const recorder = new MediaRecorder(stream);
  const recorded = new Promise<Blob>((settle) => {
    recorder.addEventListener("dataavailable", ({ data }) => settle(data), { once: true });
  });
  recorder.start();
  setTimeout(() => recorder.state === "recording" && recorder.stop(), 400);
  const bytes = await (await recorded).arrayBuffer();
  if (bytes.byteLength === 0) return NOTHING;
  const sound = await new OfflineAudioContext(1, 1, 48_000).decodeAudioData(bytes).catch(() => null);
  if (sound === null || sound.length < 8_192) return NOTHING;
  const context = new OfflineAudioContext(1, sound.length, 48_000);
  const analyser = new AnalyserNode(context, { fftSize: 8_192, smoothingTimeConstant: 0 });
  const source = new AudioBufferSourceNode(context, { buffer: sound });
  source.connect(analyser).connect(context.destination);
  source.start();
  await context.startRendering();
  const wave = new Float32Array(analyser.fftSize);
  analyser.getFloatTimeDomainData(wave);
  const level = Math.sqrt(wave.reduce((sum, sample) => sum + sample * sample, 0) / wave.length);
  if (level < 0.001) return { hertz: 0, level };
  const spectrum = new Float32Array(analyser.frequencyBinCount);
  analyser.getFloatFrequencyData(spectrum);
  return { hertz: (spectrum.indexOf(Math.max(...spectrum)) * context.sampleRate) / analyser.fftSize, level };
}

/** Waits until the page plays one of these tones. */
export async function expectToHear(page: Page, ...tones: number[]): Promise<void> {
  const distance = async () => nearest(tones, [(await page.evaluate(hearFarEnd)).hertz]);
  await poll(distance).toBeLessThan(TOLERANCE_HZ);
}

/** Waits until the called phone hears the microphone in sound received from now on. */
export async function expectToBeHeard(number: string, sandboxUrl?: string): Promise<void> {
  const call = () => networkCall(number, sandboxUrl);
  const before = (await call())?.rtp.received ?? 0;
  // It hears its last second.
  await poll(async () => (await call())?.rtp.received ?? 0).toBeGreaterThan(before + 50);
  await poll(async () => Math.abs(((await call())?.heard.frequencyHz ?? 0) - MICROPHONE_HERTZ)).toBeLessThan(TOLERANCE_HZ);
}

/** Waits until the page and the tone line hear each other. */
export async function expectBothWays(page: Page, sandboxUrl?: string): Promise<void> {
  await expectToHear(page, TONE_HERTZ);
  await expectToBeHeard(TONE_LINE, sandboxUrl);
}

/** Waits until the page plays nothing from the far end. */
export async function expectSilence(page: Page): Promise<void> {
  await poll(async () => (await page.evaluate(hearFarEnd)).level).toBeLessThan(0.003);
}

/** Records every frequency the page plays from the far end, for short sounds. Call it before the page is opened. */
export async function recordFarEnd(page: Page): Promise<void> {
  await page.addInitScript(`
    ${hearFarEnd.toString()}
    window.heard = new Set();
    setInterval(async () => window.heard.add(Math.round((await hearFarEnd()).hertz)), 200);
  `);
}

/** Waits until the page has played one of these tones since it was opened. Needs `recordFarEnd`. */
export async function expectToHaveHeard(page: Page, ...tones: number[]): Promise<void> {
  const distance = async () =>
    nearest(tones, await page.evaluate(() => [...(window as unknown as { heard: Set<number> }).heard]));
  await poll(distance).toBeLessThan(TOLERANCE_HZ);
}

function nearest(tones: readonly number[], heard: readonly number[]): number {
  return Math.min(...heard.flatMap((hertz) => tones.map((tone) => Math.abs(hertz - tone))));
}
