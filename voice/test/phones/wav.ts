import { samplesOf } from "../tone.ts";

/** A WAV file (RIFF, 16-bit mono, 8,000 samples a second) of PCMU. */
export function wavOf(pcmu: Buffer): Buffer {
  const data = Buffer.alloc(2 * pcmu.length);
  for (const [index, sample] of samplesOf(pcmu).entries()) data.writeInt16LE(sample, 2 * index);
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + data.length, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8_000, 24);
  header.writeUInt32LE(16_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data]);
}
