import { encodeUlaw, FRAME_SAMPLES, SAMPLES_PER_SECOND, SILENCE_PCMU } from "./g711.ts";

/** North American ringback (ITU-T E.180 supplement 2): 440 and 480 Hz together, 2 s on, 4 s off. */
const FREQUENCIES_HZ = [440, 480];
const ON_SECONDS = 2;
const OFF_SECONDS = 4;
/** -16 dBFS for each frequency, as loud as a carrier's ringback. */
const AMPLITUDE = 5_200;

const FRAMES_PER_SECOND = SAMPLES_PER_SECOND / FRAME_SAMPLES;
export const ON_FRAMES = ON_SECONDS * FRAMES_PER_SECOND;
export const CYCLE_FRAMES = (ON_SECONDS + OFF_SECONDS) * FRAMES_PER_SECOND;

const silence = Buffer.alloc(FRAME_SAMPLES, SILENCE_PCMU);

export function ringAt(seconds: number): number {
  return FREQUENCIES_HZ.reduce((sum, hertz) => sum + AMPLITUDE * Math.sin(2 * Math.PI * hertz * seconds), 0);
}

function ringFrame(index: number): Buffer {
  const frame = Buffer.alloc(FRAME_SAMPLES);
  for (let i = 0; i < FRAME_SAMPLES; i += 1)
    frame[i] = encodeUlaw(Math.round(ringAt((index * FRAME_SAMPLES + i) / SAMPLES_PER_SECOND)));
  return frame;
}

const ringing = Array.from({ length: ON_FRAMES }, (_, index) => ringFrame(index));

/** PCMU frame `index` (20 ms) of endless ringback. Shared, so do not modify it. */
export function ringbackFrame(index: number): Buffer {
  return ringing[index % CYCLE_FRAMES] ?? silence;
}
