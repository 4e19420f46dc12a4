/** G.711 (ITU-T G.711, 1988): µ-law and A-law bytes to and from 16-bit linear samples at 8 kHz. */

export type Codec = "PCMU" | "PCMA";

const MU_BIAS = 0x84;
const MU_CLIP = 32_635;
const A_INVERT = 0x55;

const muTable = Int16Array.from({ length: 256 }, (_, byte) => expandMu(byte));
const aTable = Int16Array.from({ length: 256 }, (_, byte) => expandA(byte));

/** Bytes to samples; one byte is one sample. */
export function decodeG711(codec: Codec, bytes: Uint8Array): Int16Array {
  const table = codec === "PCMU" ? muTable : aTable;
  const samples = new Int16Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) samples[i] = table[bytes[i] as number] as number;
  return samples;
}

/** Samples to bytes; one sample is one byte. */
export function encodeG711(codec: Codec, samples: Int16Array): Buffer {
  const compress = codec === "PCMU" ? compressMu : compressA;
  const bytes = Buffer.allocUnsafe(samples.length);
  for (let i = 0; i < samples.length; i++) bytes[i] = compress(samples[i] as number);
  return bytes;
}

function expandMu(byte: number): number {
  const inverted = ~byte & 0xff;
  const magnitude = ((((inverted & 0x0f) << 3) + MU_BIAS) << ((inverted & 0x70) >> 4)) - MU_BIAS;
  return inverted & 0x80 ? -magnitude : magnitude;
}

function compressMu(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), MU_CLIP) + MU_BIAS;
  const exponent = 24 - Math.clz32(magnitude); // the bias makes bit 7 the lowest leading bit
  return ~(sign | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0x0f)) & 0xff;
}

function expandA(byte: number): number {
  const plain = byte ^ A_INVERT;
  const segment = (plain & 0x70) >> 4;
  const step = ((plain & 0x0f) << 4) + 8;
  const magnitude = segment === 0 ? step : (step + 0x100) << (segment - 1);
  return plain & 0x80 ? magnitude : -magnitude;
}

function compressA(sample: number): number {
  const sign = sample >= 0 ? 0x80 : 0;
  const magnitude = Math.min(sample >= 0 ? sample : -sample - 1, 32_767);
  const exponent = magnitude < 256 ? 0 : 24 - Math.clz32(magnitude);
  const mantissa = (magnitude >> (exponent === 0 ? 4 : exponent + 3)) & 0x0f;
  return (sign | (exponent << 4) | mantissa) ^ A_INVERT;
}
