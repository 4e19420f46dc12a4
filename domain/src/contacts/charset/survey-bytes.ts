/** Statistics of a file's lines. */
interface Survey {
  /** Lines with non-ASCII letters that are UTF-8, possibly with a few invalid bytes. */
  readonly utf8Lines: number;
  readonly otherLines: number;
  /** Some of the lines that are not UTF-8, for charset detection. */
  readonly sample: Uint8Array;
}

const SAMPLE_BYTES = 3000;
/** Bytes examined before the caller may pause. */
const SLICE_BYTES = 1024 * 1024;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** Counts lines with non-ASCII letters. Yields where the caller may pause. */
export function* surveyBytes(bytes: Uint8Array): Generator<null, Survey, void> {
  const sample: number[] = [];
  let utf8Lines = 0;
  let otherLines = 0;
  let lineStart = 0;
  let isAscii = true;
  for (let at = 0; at <= bytes.length; at += 1) {
    const byte = bytes[at] ?? LINE_FEED;
    if (byte >= 0x80) isAscii = false;
    if (at % SLICE_BYTES === SLICE_BYTES - 1) yield null;
    if (byte !== LINE_FEED && byte !== RETURN) continue;
    if (!isAscii) {
      const line = bytes.subarray(lineStart, at);
      if (looksLikeUtf8(line)) utf8Lines += 1;
      else {
        otherLines += 1;
        if (sample.length < SAMPLE_BYTES) sample.push(...line.subarray(0, SAMPLE_BYTES - sample.length), LINE_FEED);
      }
    }
    lineStart = at + 1;
    isAscii = true;
  }
  return { utf8Lines, otherLines, sample: Uint8Array.from(sample) };
}

/** Whether at least half of the non-ASCII bytes are complete UTF-8 characters. */
export function looksLikeUtf8(bytes: Uint8Array): boolean {
  let high = 0;
  let whole = 0;
  for (let at = 0; at < bytes.length;) {
    const lead = bytes[at] as number;
    const length = letterLength(lead);
    const found = bytesOfLetter(bytes, at, length);
    // A truncated character counts as one invalid byte.
    if (lead >= 0x80) high += found === length ? length : 1;
    if (found === length && length > 1) whole += length;
    at += found;
  }
  return whole * 2 >= high;
}

/** Length of the character that starts with a lead byte; 1 for ASCII and for invalid lead bytes. */
function letterLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 1;
}

/** How many bytes of a character are present, including the lead byte. */
function bytesOfLetter(bytes: Uint8Array, at: number, length: number): number {
  for (let index = 1; index < length; index += 1) {
    const byte = bytes[at + index];
    if (byte === undefined || byte < 0x80 || byte > 0xbf) return index;
  }
  return length;
}
