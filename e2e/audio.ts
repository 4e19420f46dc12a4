import { expect, type Page } from "@playwright/test";

/**
 * The strongest frequency (Hz) in what the page plays from the far end right now, and how loud it is (0 to 1), measured
 * over the last 340 ms. 0 Hz when nothing sounds.
 */
async function heardInBrowser(page: Page): Promise<{ hertz: number; level: number }> {
  return await page.evaluate(async () => {
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
  });
}

/** Waits until the page hears this tone, or one of these, within 10 Hz. */
export async function expectToHear(page: Page, ...tones: number[]): Promise<void> {
  const distance = async () => {
    const { hertz } = await heardInBrowser(page);
    return Math.min(...tones.map((tone) => Math.abs(hertz - tone)));
  };
  await expect.poll(distance, { timeout: 15_000 }).toBeLessThan(10);
}

/** Waits until the page hears nothing from the far end. */
export async function expectSilence(page: Page): Promise<void> {
  await expect.poll(async () => (await heardInBrowser(page)).level, { timeout: 15_000 }).toBeLessThan(0.003);
}
