import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digitAt } from "@farline/voice/media/sound/digit-tone.ts";
import { DIGIT_FRAMES, EVENT_CODES } from "@farline/voice/media/sound/digit-queue.ts";
import { ON_FRAMES, ringAt } from "@farline/voice/media/sound/ringback.ts";

/** Generates voice/data/opus-tones.bin, the exchange's own tones in Opus: `node tools/make-opus-tones.ts`. Needs opusenc. */
const SAMPLES_PER_SECOND = 48_000;
const FRAME_SAMPLES = 960;
const WAV_HEADER_BYTES = 44;
/** OpusHead and OpusTags, RFC 7845 §3. */
const HEADER_PACKETS = 2;
const OGG_HEADER_BYTES = 27;

const folder = mkdtempSync(join(tmpdir(), "opus-tones-"));
try {
  const tones = [
    encode(ringAt, ON_FRAMES),
    ...[...EVENT_CODES].map((key) => encode((seconds) => digitAt(key, seconds), DIGIT_FRAMES)),
  ];
  const parts = tones.flat().flatMap((frame) => [lengthOf(frame), frame]);
  writeFileSync(new URL("../voice/data/opus-tones.bin", import.meta.url), Buffer.concat(parts));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @param sampleAt 16-bit samples by seconds */
function encode(sampleAt: (seconds: number) => number, frames: number): Buffer[] {
  const [wav, opus] = [join(folder, "tone.wav"), join(folder, "tone.opus")];
  // One frame more than wanted: the encoder's last one ends early.
  writeFileSync(wav, wavOf(sampleAt, (frames + 1) * FRAME_SAMPLES));
  execFileSync("opusenc", ["--quiet", "--bitrate", "32", "--framesize", "20", "--music", wav, opus]);
  return packetsOf(readFileSync(opus)).slice(HEADER_PACKETS, HEADER_PACKETS + frames);
}

function wavOf(sampleAt: (seconds: number) => number, samples: number): Buffer {
  const wav = Buffer.alloc(WAV_HEADER_BYTES + samples * 2);
  wav.write("RIFF", 0);
  wav.writeUInt32LE(wav.length - 8, 4);
  wav.write("WAVEfmt ", 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20); // PCM
  wav.writeUInt16LE(1, 22); // one channel
  wav.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  wav.writeUInt32LE(SAMPLES_PER_SECOND * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write("data", 36);
  wav.writeUInt32LE(samples * 2, 40);
  for (let i = 0; i < samples; i++) wav.writeInt16LE(Math.round(sampleAt(i / SAMPLES_PER_SECOND)), WAV_HEADER_BYTES + i * 2);
  return wav;
}

/** The packets of an Ogg file with one stream, RFC 3533 §6. */
function packetsOf(ogg: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  let packet: Buffer[] = [];
  for (let page = 0; page < ogg.length;) {
    const segments = ogg[page + OGG_HEADER_BYTES - 1] as number;
    let at = page + OGG_HEADER_BYTES + segments;
    for (const length of ogg.subarray(page + OGG_HEADER_BYTES, page + OGG_HEADER_BYTES + segments)) {
      packet.push(ogg.subarray(at, at + length));
      at += length;
      if (length === 255) continue;
      packets.push(Buffer.concat(packet));
      packet = [];
    }
    page = at;
  }
  return packets;
}

function lengthOf(frame: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(frame.length);
  return length;
}
