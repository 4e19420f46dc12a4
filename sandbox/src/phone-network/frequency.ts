import { SAMPLE_RATE } from "./tones.ts";

const LOWEST_HZ = 80;
const HIGHEST_HZ = 3600;
const COARSE_STEP_HZ = 8;
const FINE_STEP_HZ = 1;
/** Anything quieter counts as silence: comfort noise and codec hiss are below. */
const SILENCE_DB = -50;

export interface Heard {
  /** The strongest frequency, to 1 Hz; null while there is silence. */
  frequencyHz: number | null;
  /** Loudness in dB below full scale, to 0.1 dB; null without any sample. */
  levelDb: number | null;
}

/** Measures loudness and the dominant frequency of a piece of audio (Goertzel filters over a Hann window). */
export function measure(samples: Int16Array): Heard {
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

/** Energy of one frequency in the piece, in arbitrary units that compare within the same piece. */
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
 * Steps of 8 Hz can miss a tone in a long piece, whose filters are narrower than that: the coarse search therefore looks at
 * stretches of a tenth of a second and adds up their energies.
 */
function strongest(samples: Float64Array, fromHz: number, toHz: number, stepHz: number): number {
  const stretch = stepHz >= COARSE_STEP_HZ ? SAMPLE_RATE / 10 : samples.length;
  let best = fromHz;
  let most = -1;
  for (let hz = fromHz; hz <= toHz; hz += stepHz) {
    let energy = 0;
    for (let at = 0; at < samples.length; at += stretch) energy += goertzel(samples.subarray(at, at + stretch), hz);
    if (energy > most) {
      most = energy;
      best = hz;
    }
  }
  return best;
}

function hann(samples: Int16Array): Float64Array {
  const last = samples.length - 1;
  return Float64Array.from(samples, (sample, i) => sample * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / last)));
}
