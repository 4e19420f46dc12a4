const SAMPLE_BYTES = 512;

/**
 * The text of a file in UTF-8, UTF-16 (either order, with its mark or without) or Windows Latin-1, which holds ISO 8859-1.
 * Bytes that are not UTF-8 are taken for Latin-1: every byte is a letter there, so this never fails.
 */
export function decodeText(bytes: Uint8Array): string {
  const encoding = utf16Of(bytes);
  if (encoding !== null) return new TextDecoder(encoding).decode(bytes);
  return decodeBytes(bytes, "utf-8");
}

/** Bytes in a named encoding; an unknown name is UTF-8, and what is not UTF-8 is Latin-1. A byte order mark is dropped. */
export function decodeBytes(bytes: Uint8Array, encoding: string): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    // A RangeError names an unknown encoding, a TypeError bytes that are not in it: both leave Latin-1 or UTF-8.
    return encoding === "utf-8" ? new TextDecoder("windows-1252").decode(bytes) : decodeBytes(bytes, "utf-8");
  }
}

/** By its mark, or by the zero that every second byte of Western text is; null when it is neither. */
function utf16Of(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  let even = 0;
  let odd = 0;
  for (const [index, byte] of sample.entries()) {
    if (byte !== 0) continue;
    if (index % 2 === 0) even += 1;
    else odd += 1;
  }
  const many = sample.length / 4;
  if (odd > many && even === 0) return "utf-16le";
  if (even > many && odd === 0) return "utf-16be";
  return null;
}
