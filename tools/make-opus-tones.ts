import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digitAt } from "@farline/voice/media/audio/digit-tone.ts";
import { DIGIT_FRAMES, EVENT_CODES } from "@farline/voice/media/audio/digit-queue.ts";
import { ON_FRAMES, ringAt } from "@farline/voice/media/audio/ringback.ts";

/** Generates voice/data/opus-tones.bin, the exchange's own tones in Opus: `node tools/make-opus-tones.ts`. Needs opusenc. */
const SAMPLES_PER_SECOND = 48_000;
const FRAME_SAMPLES = 960;
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
  const [raw, opus] = [join(folder, "tone.raw"), join(folder, "tone.opus")];
  // One extra frame, because the encoder's last frame is incomplete.
  writeFileSync(raw, pcmOf(sampleAt, (frames + 1) * FRAME_SAMPLES));
  const input = ["--raw", "--raw-bits", "16", "--raw-chan", "1", "--raw-rate", String(SAMPLES_PER_SECOND)];
  execFileSync("opusenc", ["--quiet", ...input, "--bitrate", "32", "--framesize", "20", "--music", raw, opus]);
  return packetsOf(readFileSync(opus)).slice(HEADER_PACKETS, HEADER_PACKETS + frames);
}

/** 16 bit, little-endian. */
function pcmOf(sampleAt: (seconds: number) => number, samples: number): Buffer {
  const pcm = Buffer.alloc(samples * 2);
  for (let i = 0; i < samples; i++) pcm.writeInt16LE(Math.round(sampleAt(i / SAMPLES_PER_SECOND)), i * 2);
  return pcm;
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
