import { decodeUlaw, encodeUlaw, FRAME_SAMPLES, SAMPLES_PER_SECOND } from "../src/media/audio/g711.ts";

/** Of test tones: a quarter of full scale. */
export const AMPLITUDE = 8_000;

/** A sine wave as 20 ms PCMU frames. */
export function toneFrames(hertz: number, seconds: number): Buffer[] {
  const frames = Math.round((seconds * SAMPLES_PER_SECOND) / FRAME_SAMPLES);
  return Array.from({ length: frames }, (_, frame) =>
    Buffer.from(
      Array.from({ length: FRAME_SAMPLES }, (_unused, i) =>
        encodeUlaw(Math.round(AMPLITUDE * Math.sin((2 * Math.PI * hertz * (frame * FRAME_SAMPLES + i)) / SAMPLES_PER_SECOND))),
      ),
    ),
  );
}

/** 16-bit samples of PCMU. */
export function samplesOf(pcmu: Buffer): number[] {
  return Array.from(pcmu, decodeUlaw);
}

/** Root mean square of 16-bit samples: 0 for silence. */
export function loudness(samples: readonly number[]): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length));
}

/** The highest share in a fifth of a second (see `share`): a busy machine tears holes into what a phone plays and hears. */
export function clearestShare(samples: readonly number[], hertz: number): number {
  const length = SAMPLES_PER_SECOND / 5;
  const parts = Array.from({ length: Math.floor(samples.length / length) }, (_, index) =>
    samples.slice(index * length, (index + 1) * length),
  );
  return Math.max(0, ...parts.map((part) => share(part, hertz)));
}

/** The share of the signal's energy at one frequency, 0 to 1 (Goertzel). */
export function share(samples: readonly number[], hertz: number): number {
  const omega = (2 * Math.PI * hertz) / SAMPLES_PER_SECOND;
  const coefficient = 2 * Math.cos(omega);
  let before = 0;
  let last = 0;
  let energy = 0;
  for (const sample of samples) {
    const next = sample + coefficient * last - before;
    before = last;
    last = next;
    energy += sample * sample;
  }
  const power = last * last + before * before - coefficient * last * before;
  return energy === 0 ? 0 : (2 * power) / (energy * samples.length);
}
