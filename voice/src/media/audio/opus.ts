import { DIGIT_FRAMES, EVENT_CODES } from "./digit-queue.ts";
import { CYCLE_FRAMES, ON_FRAMES } from "./ringback.ts";
import type { AudioFormat } from "./audio-format.ts";
import { readAudioClips } from "./audio-clips.ts";

/** A 20 ms CELT frame (RFC 6716 §3.1) that decodes to silence. */
const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);

let tones: readonly Buffer[] | null = null;

/** The recorded tones: one ring of ringback, then each key in the order of `EVENT_CODES`. */
function tone(index: number): Buffer {
  tones ??= readAudioClips("opus-tones.bin");
  return tones[index] ?? SILENCE;
}

/** Opus over RTP (RFC 7587): always 48,000 ticks a second. */
export const opus: AudioFormat = {
  codec: "opus",
  ticksPerSecond: 48_000,
  frameTicks: 960,
  ringback(index) {
    const at = index % CYCLE_FRAMES;
    return at < ON_FRAMES ? tone(at) : SILENCE;
  },
  digitTone: (key, index) => tone(ON_FRAMES + EVENT_CODES.indexOf(key) * DIGIT_FRAMES + index),
  silence(payload) {
    // Shorter payloads are discontinuous transmission, so already silent (RFC 7587 §3.1.3).
    if (payload.length < SILENCE.length) return payload;
    SILENCE.copy(payload);
    return payload.subarray(0, SILENCE.length);
  },
};
