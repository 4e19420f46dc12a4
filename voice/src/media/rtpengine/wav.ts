const HEADER_BYTES = 46;
const SAMPLES_PER_SECOND = 8_000;
/** WAVE_FORMAT_MULAW, RFC 2361. */
const MULAW = 7;

/** A WAV file of PCMU audio, for the blob of `play media`. */
export function wavOf(pcmu: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write("RIFF", 0);
  header.writeUInt32LE(HEADER_BYTES - 8 + pcmu.length, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(18, 16);
  header.writeUInt16LE(MULAW, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  header.writeUInt32LE(SAMPLES_PER_SECOND, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write("data", 38);
  header.writeUInt32LE(pcmu.length, 42);
  return Buffer.concat([header, pcmu]);
}
