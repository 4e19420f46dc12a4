import { Application, createEncoder } from "libopus-wasm";
import { AMPLITUDE } from "./tone.ts";

const SAMPLES_PER_SECOND = 48_000;
const FRAME_SAMPLES = 960;
const FRAMES_PER_SECOND = SAMPLES_PER_SECOND / FRAME_SAMPLES;

/** A sine wave as 20 ms packets of Opus, as a browser sends speech: one channel, 32 kbit/s, with error correction. */
export async function opusToneFrames(hertz: number, seconds: number): Promise<Buffer[]> {
  const encoder = await createEncoder({ channels: 1, application: Application.Voip, bitrate: 32_000, fec: true });
  const sampleAt = (index: number): number =>
    Math.round(AMPLITUDE * Math.sin((2 * Math.PI * hertz * index) / SAMPLES_PER_SECOND));
  const frames = Array.from({ length: Math.round(seconds * FRAMES_PER_SECOND) }, (_, frame) =>
    Buffer.from(encoder.encode(Int16Array.from({ length: FRAME_SAMPLES }, (_unused, i) => sampleAt(frame * FRAME_SAMPLES + i)))),
  );
  encoder.free();
  return frames;
}
