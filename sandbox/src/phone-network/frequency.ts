import { SAMPLE_RATE } from "./tones.ts";

const LOWEST_HZ = 80;
const HIGHEST_HZ = 3600;
const COARSE_STEP_HZ = 8;
const FINE_STEP_HZ = 1;
/** Quieter audio counts as silence; comfort noise and codec noise are below this. */
const SILENCE_DB = -50;

export interface AudioMeasurement {
  /** The dominant frequency, to 1 Hz; null in silence. */
  frequencyHz: number | null;
  /** Level in dBFS, to 0.1 dB; null without samples. */
  levelDb: number | null;
}

/** Measures level and dominant frequency (Goertzel filters over a Hann window). */
export function measure(samples: Int16Array): AudioMeasurement {
  if (samples.length < SAMPLE_RATE / 20) return { frequencyHz: null, levelDb: null };
  let energy = 0;
  for (const sample of samples) energy += sample * sample;
  const levelDb = Math.max(-99, 10 * Math.log10(Math.max(energy, 1e-9) / samples.length / 32_768 ** 2));
  const rounded = Math.round(levelDb * 10) / 10;
  if (levelDb < SILENCE_DB) return { frequencyHz: null, levelDb: rounded };
  const windowed = hann(samples);
  const coarse = strongest(windowed, LOWEST_HZ, HIGHEST_HZ, COARSE_STEP_HZ);
  const fine = strongest(windowed, coarse - COARSE_STEP_HZ, coarse + COARSE_STEP_HZ, FINE_STEP_HZ);
  return { frequencyHz: fine, levelDb: rounded };
}

/** Energy at one frequency, in arbitrary units that are comparable within the same samples. */
export function goertzel(samples: Float64Array, hz: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * hz) / SAMPLE_RATE);
  let previous = 0;
  let beforePrevious = 0;
  for (const sample of samples) {
    const current = sample + coefficient * previous - beforePrevious;
    beforePrevious = previous;
    previous = current;
  }
  return previous ** 2 + beforePrevious ** 2 - coefficient * previous * beforePrevious;
}

/**
 * Over long audio a filter is narrower than the coarse 8 Hz steps and could miss a tone, so the coarse search sums the energies
 * of 100 ms segments.
 */
function strongest(samples: Float64Array, fromHz: number, toHz: number, stepHz: number): number {
  const segment = stepHz >= COARSE_STEP_HZ ? SAMPLE_RATE / 10 : samples.length;
  let best = fromHz;
  let maxEnergy = -1;
  for (let hz = fromHz; hz <= toHz; hz += stepHz) {
    let energy = 0;
    for (let at = 0; at < samples.length; at += segment) energy += goertzel(samples.subarray(at, at + segment), hz);
    if (energy > maxEnergy) {
      maxEnergy = energy;
      best = hz;
    }
  }
  return best;
}

function hann(samples: Int16Array): Float64Array {
  const last = samples.length - 1;
  return Float64Array.from(samples, (sample, i) => sample * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / last)));
}
