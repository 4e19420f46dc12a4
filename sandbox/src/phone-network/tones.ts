/** Tones as 16-bit samples at 8 kHz. `start` is the position in the tone, so that a call can request 20 ms at a time. */

export const SAMPLE_RATE = 8000;

/** Peak of each tone in a pair: -13 dBm0, so that the sum never clips. */
const PAIR_PEAK = 6000;
const SINGLE_PEAK = 10_000;

const RINGBACK_HZ = [440, 480] as const; // North America: ITU-T E.180 supplement 2
const RINGBACK_ON_SAMPLES = 2 * SAMPLE_RATE;
const RINGBACK_PERIOD_SAMPLES = 6 * SAMPLE_RATE;

const DTMF_ROWS_HZ = [697, 770, 852, 941] as const; // ITU-T Q.23
const DTMF_COLUMNS_HZ = [1209, 1336, 1477, 1633] as const;
const DTMF_KEYS = "123A456B789C*0#D";

/** Fills `into` with the sum of the frequencies. */
export function addSines(into: Int16Array, frequenciesHz: readonly number[], start: number): void {
  const peak = frequenciesHz.length > 1 ? PAIR_PEAK : SINGLE_PEAK;
  for (let i = 0; i < into.length; i++) {
    let sum = 0;
    for (const hz of frequenciesHz) sum += Math.sin((2 * Math.PI * hz * (start + i)) / SAMPLE_RATE);
    into[i] = Math.round(peak * sum);
  }
}

/** The ringback tone: 2 s of 440 + 480 Hz and 4 s of silence, repeated. */
export function ringback(start: number, length: number): Int16Array {
  const samples = new Int16Array(length);
  if (start % RINGBACK_PERIOD_SAMPLES < RINGBACK_ON_SAMPLES) addSines(samples, RINGBACK_HZ, start);
  return samples;
}

/** A steady tone of one frequency. */
export function steadyTone(hz: number, start: number, length: number): Int16Array {
  const samples = new Int16Array(length);
  addSines(samples, [hz], start);
  return samples;
}

/** The two frequencies of a key; null if it is not a key. */
export function dtmfFrequencies(digit: string): readonly [number, number] | null {
  const index = digit.length === 1 ? DTMF_KEYS.indexOf(digit) : -1;
  if (index < 0) return null;
  return [DTMF_ROWS_HZ[index >> 2] as number, DTMF_COLUMNS_HZ[index & 3] as number];
}
