import { encodeUlaw, FRAME_SAMPLES, SAMPLES_PER_SECOND } from "./g711.ts";

/** DTMF frequencies by row and column of the keypad (ITU-T Q.23). */
const KEYS = ["123A", "456B", "789C", "*0#D"];
const ROWS_HZ = [697, 770, 852, 941];
const COLUMNS_HZ = [1_209, 1_336, 1_477, 1_633];
/** -16 dBFS for each frequency, within the levels of ITU-T Q.24. */
const AMPLITUDE = 5_200;

/** A 16-bit sample of a key's tone. @throws RangeError for an unknown key */
export function digitAt(key: string, seconds: number): number {
  const row = KEYS.findIndex((keys) => keys.includes(key));
  const [low, high] = [ROWS_HZ[row], COLUMNS_HZ[KEYS[row]?.indexOf(key) ?? -1]];
  if (key.length !== 1 || low === undefined || high === undefined) throw new RangeError(`There is no key ${key}.`);
  const angle = 2 * Math.PI * seconds;
  return AMPLITUDE * (Math.sin(low * angle) + Math.sin(high * angle));
}

/** PCMU frame `index` (20 ms, from 0) of a key's tone. @throws RangeError for an unknown key */
export function digitTone(key: string, index: number): Buffer {
  const frame = Buffer.alloc(FRAME_SAMPLES);
  for (let i = 0; i < FRAME_SAMPLES; i += 1)
    frame[i] = encodeUlaw(Math.round(digitAt(key, (index * FRAME_SAMPLES + i) / SAMPLES_PER_SECOND)));
  return frame;
}
