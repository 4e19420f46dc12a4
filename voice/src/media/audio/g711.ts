import type { RtpClock } from "./audio-format.ts";

/** G.711 companding (ITU-T G.711): u-law (PCMU) and A-law (PCMA), one byte per sample at 8 kHz. */

export const SAMPLES_PER_SECOND = 8_000;
/** 20 ms, the packet size of all our peers. */
export const FRAME_SAMPLES = 160;
export const FRAME_MS = 20;
export const G711_CLOCK: RtpClock = { ticksPerSecond: SAMPLES_PER_SECOND, frameTicks: FRAME_SAMPLES };
export const SILENCE_PCMU = 0xff;

const ULAW_BIAS = 0x84;
const ULAW_CLIP = 32_635;

export function encodeUlaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), ULAW_CLIP) + ULAW_BIAS;
  const exponent = Math.max(0, 24 - Math.clz32(magnitude));
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}

/** u-law to a 16-bit linear sample. */
export function decodeUlaw(byte: number): number {
  const inverted = ~byte & 0xff;
  const exponent = (inverted >> 4) & 0x07;
  const magnitude = ((((inverted & 0x0f) << 3) + ULAW_BIAS) << exponent) - ULAW_BIAS;
  return inverted & 0x80 ? -magnitude : magnitude;
}

export function encodeAlaw(sample: number): number {
  const sign = sample >= 0 ? 0x80 : 0;
  const magnitude = Math.min(sample >= 0 ? sample : -sample - 1, 32_767) >> 3;
  const segment = magnitude < 32 ? 0 : 27 - Math.clz32(magnitude);
  const mantissa = (segment < 2 ? magnitude >> 1 : magnitude >> segment) & 0x0f;
  return (sign | (segment << 4) | mantissa) ^ 0x55;
}

/** A-law to a 16-bit linear sample. */
export function decodeAlaw(byte: number): number {
  const value = byte ^ 0x55;
  const segment = (value >> 4) & 0x07;
  const base = ((value & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? base : (base + 0x100) << (segment - 1);
  return value & 0x80 ? magnitude : -magnitude;
}

const alawOfUlaw = Uint8Array.from({ length: 256 }, (_, byte) => encodeAlaw(decodeUlaw(byte)));
const ulawOfAlaw = Uint8Array.from({ length: 256 }, (_, byte) => encodeUlaw(decodeAlaw(byte)));

/** Rewrites the samples in place. */
export function ulawToAlaw(samples: Buffer): void {
  for (let i = 0; i < samples.length; i += 1) samples[i] = alawOfUlaw[samples[i] as number] as number;
}

/** Rewrites the samples in place. */
export function alawToUlaw(samples: Buffer): void {
  for (let i = 0; i < samples.length; i += 1) samples[i] = ulawOfAlaw[samples[i] as number] as number;
}
