import { tmpdir } from "node:os";
import { join } from "node:path";

/** What the fake microphone plays in every browser test. Far from the test line's 1000 Hz. */
export const MICROPHONE_HERTZ = 740;
export const MICROPHONE_FILE = join(tmpdir(), `farline-microphone-${MICROPHONE_HERTZ}.wav`);

const SAMPLES_PER_SECOND = 48_000;

/** A WAV file (PCM, 16 bit, mono) with a steady sine tone, which the browser's fake microphone plays. */
export function toneWav(hertz: number, seconds: number): Buffer {
  const samples = Math.floor(seconds * SAMPLES_PER_SECOND);
  const wav = Buffer.alloc(44 + samples * 2);
  wav.write("RIFF", 0);
  wav.writeUInt32LE(36 + samples * 2, 4);
  wav.write("WAVEfmt ", 8);
  wav.writeUInt32LE(16, 16); // size of the format block
  wav.writeUInt16LE(1, 20); // PCM
  wav.writeUInt16LE(1, 22); // mono
  wav.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  wav.writeUInt32LE(SAMPLES_PER_SECOND * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write("data", 36);
  wav.writeUInt32LE(samples * 2, 40);
  for (let i = 0; i < samples; i++)
    wav.writeInt16LE(Math.round(Math.sin((2 * Math.PI * hertz * i) / SAMPLES_PER_SECOND) * 16_000), 44 + i * 2);
  return wav;
}
