import { existsSync, readFileSync } from "node:fs";

/** Whether there is a file of clips. */
export function hasAudioClips(name: string): boolean {
  return existsSync(fileOf(name));
}

/** Reads the clips of a file in voice/data: each has its length in four bytes, then its content (voice/data/NOTICE.md). */
export function readAudioClips(name: string): Buffer[] {
  const file = readFileSync(fileOf(name));
  const parts: Buffer[] = [];
  for (let at = 0; at < file.length;) {
    const end = at + 4 + file.readUInt32BE(at);
    parts.push(file.subarray(at + 4, end));
    at = end;
  }
  return parts;
}

function fileOf(name: string): URL {
  return new URL(`../../../data/${name}`, import.meta.url);
}
