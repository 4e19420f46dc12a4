import { expect, type Page } from "@playwright/test";

/** Tolerance of a tone's frequency. */
const TOLERANCE_HZ = 10;

/**
 * Runs in the page. The strongest frequency (Hz) of the far end's current sound, and its level (0 to 1), over the last
 * 340 ms. 0 Hz for silence.
 */
async function hearFarEnd(): Promise<{ hertz: number; level: number }> {
  const audio = document.querySelector<HTMLAudioElement>('[data-testid="far-audio"]');
  const stream = audio?.srcObject;
  if (!(stream instanceof MediaStream) || stream.getAudioTracks().length === 0) return { hertz: 0, level: 0 };
  const scope = window as unknown as { probe?: { stream: MediaStream; context: AudioContext; analyser: AnalyserNode } };
  if (scope.probe?.stream !== stream) {
    void scope.probe?.context.close();
    const context = new AudioContext({ sampleRate: 48_000 });
    const analyser = context.createAnalyser();
    analyser.fftSize = 16_384;
    analyser.smoothingTimeConstant = 0;
    context.createMediaStreamSource(stream).connect(analyser);
    scope.probe = { stream, context, analyser };
  }
  const { analyser, context } = scope.probe;
  await context.resume();
  const wave = new Float32Array(analyser.fftSize);
  analyser.getFloatTimeDomainData(wave);
  const level = Math.sqrt(wave.reduce((sum, sample) => sum + sample * sample, 0) / wave.length);
  if (level < 0.001) return { hertz: 0, level };
  const spectrum = new Float32Array(analyser.frequencyBinCount);
  analyser.getFloatFrequencyData(spectrum);
  const strongest = spectrum.indexOf(Math.max(...spectrum));
  return { hertz: (strongest * context.sampleRate) / analyser.fftSize, level };
}

/** Waits until the page plays one of these tones. */
export async function expectToHear(page: Page, ...tones: number[]): Promise<void> {
  const distance = async () => nearest(tones, [(await page.evaluate(hearFarEnd)).hertz]);
  await expect.poll(distance).toBeLessThan(TOLERANCE_HZ);
}

/** Waits until the page plays nothing from the far end. */
export async function expectSilence(page: Page): Promise<void> {
  await expect.poll(async () => (await page.evaluate(hearFarEnd)).level).toBeLessThan(0.003);
}

/** Records every frequency the page plays from the far end, for short sounds. Call it before the page is opened. */
export async function recordFarEnd(page: Page): Promise<void> {
  await page.addInitScript(`
    ${hearFarEnd.toString()}
    window.heard = new Set();
    setInterval(async () => window.heard.add(Math.round((await hearFarEnd()).hertz)), 50);
  `);
}

/** Waits until the page has played one of these tones since it was opened. Needs `recordFarEnd`. */
export async function expectToHaveHeard(page: Page, ...tones: number[]): Promise<void> {
  const distance = async () =>
    nearest(tones, await page.evaluate(() => [...(window as unknown as { heard: Set<number> }).heard]));
  await expect.poll(distance).toBeLessThan(TOLERANCE_HZ);
}

function nearest(tones: readonly number[], heard: readonly number[]): number {
  return Math.min(...heard.flatMap((hertz) => tones.map((tone) => Math.abs(hertz - tone))));
}
