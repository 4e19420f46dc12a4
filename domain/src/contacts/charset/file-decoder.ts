import type { CharsetLabel } from "./charset-labels.ts";
import { detectCharset } from "./detect-charset.ts";
import { looksLikeUtf8, surveyBytes } from "./survey-bytes.ts";

type Decoder = InstanceType<typeof TextDecoder>;

/** What was done to read a text. */
export type DecodeNote =
  /** It is in another character set than the file. */
  | "other_charset"
  /** Bytes that are no letters were left out. */
  | "bytes_left_out";

export interface Decoded {
  readonly text: string;
  readonly note: DecodeNote | null;
}

/** Charsets whose delimiters are not single ASCII bytes: such a file is converted to UTF-8 as a whole. */
const WHOLE_FILE: ReadonlySet<CharsetLabel> = new Set(["utf-16le", "utf-16be", "iso-2022-jp"]);
const SEVERAL_BYTES = new Set(["shift_jis", "gb18030", "gbk", "big5", "euc-jp", "euc-kr"]);
/** UTF-8 text is never by chance most of a file in another charset, but single words are. */
const LEAST_SHARE = 10;

/**
 * Decodes the texts of a file one by one, each as what it is: a broken byte or a foreign card garbles nothing else. UTF-8 is
 * recognised for sure; the rest is in the file's other charset, which is detected, or chosen by the user.
 */
export class FileDecoder {
  /** The charset of what is not UTF-8; "utf-8" when all is. */
  readonly charset: CharsetLabel;
  readonly #takesUtf8: boolean;
  readonly #decoder: Decoder;
  readonly #utf8 = new TextDecoder();
  readonly #isMainlyUtf8: boolean;

  constructor(charset: CharsetLabel, counted: { readonly utf8Lines: number; readonly otherLines: number }) {
    const { utf8Lines, otherLines } = counted;
    this.charset = charset;
    this.#isMainlyUtf8 = utf8Lines >= otherLines;
    this.#takesUtf8 = charset === "utf-8" || (otherLines > 0 && utf8Lines * LEAST_SHARE > otherLines);
    this.#decoder = new TextDecoder(charset);
  }

  /** Whether only some of the file is in `charset`, and most is UTF-8. */
  get isMixed(): boolean {
    return this.charset !== "utf-8" && this.#takesUtf8 && this.#isMainlyUtf8;
  }

  decode(bytes: Uint8Array): Decoded {
    if (isAscii(bytes)) return { text: this.#utf8.decode(bytes), note: null };
    if (this.#takesUtf8) {
      const text = this.#utf8.decode(bytes);
      if (isUnbroken(text, bytes)) return { text, note: null };
      if (this.charset === "utf-8" || looksLikeUtf8(bytes)) return withoutBroken(text);
    }
    const decoded = withoutBroken(this.#decoder.decode(bytes));
    return decoded.note === null && this.isMixed ? { ...decoded, note: "other_charset" } : decoded;
  }

  /** A text that names its own charset, which programs get wrong: bytes that are UTF-8 are read as such in any case. */
  decodeNamed(bytes: Uint8Array, charset: string): Decoded {
    const named = decoderFor(charset);
    if (named === null || named.encoding === "utf-8" || isAscii(bytes)) return this.decode(bytes);
    const utf8 = this.#utf8.decode(bytes);
    if (!SEVERAL_BYTES.has(named.encoding) && isUnbroken(utf8, bytes)) return { text: utf8, note: null };
    return withoutBroken(named.decode(bytes));
  }
}

/** Where a file's texts stand, and what decodes them. */
export interface OpenedText {
  readonly bytes: Uint8Array;
  readonly decoder: FileDecoder;
  /** What the whole file was converted from, or the decoder's. */
  readonly charset: CharsetLabel;
}

/** @param chosen the user's charset, or null to detect it @param knowsWord see `detectCharset` */
export function* openText(
  bytes: Uint8Array,
  chosen: CharsetLabel | null,
  knowsWord: (text: string) => boolean,
): Generator<null, OpenedText, void> {
  const whole = chosen === null ? wholeFileCharset(bytes) : WHOLE_FILE.has(chosen) ? chosen : null;
  if (whole !== null) {
    const converted = new TextEncoder().encode(new TextDecoder(whole).decode(bytes));
    return { bytes: converted, decoder: new FileDecoder("utf-8", { utf8Lines: 1, otherLines: 0 }), charset: whole };
  }
  const text = withoutMark(bytes);
  const survey = yield* surveyBytes(text);
  const charset = chosen ?? (survey.otherLines === 0 ? "utf-8" : detectCharset(survey.sample, knowsWord));
  const decoder = new FileDecoder(charset, survey);
  return { bytes: text, decoder, charset };
}

function withoutBroken(text: string): Decoded {
  if (!text.includes("\ufffd")) return { text, note: null };
  return { text: text.replaceAll("\ufffd", ""), note: "bytes_left_out" };
}

/** Whether decoding put in no sign for a broken byte that does not stand in the bytes themselves. */
function isUnbroken(text: string, bytes: Uint8Array): boolean {
  const found = text.split("\ufffd").length - 1;
  if (found === 0) return true;
  let written = 0;
  for (let at = bytes.indexOf(0xef); at !== -1; at = bytes.indexOf(0xef, at + 1))
    if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) written += 1;
  return written === found;
}

function isAscii(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte < 0x80);
}

function withoutMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function decoderFor(charset: string): Decoder | null {
  try {
    return new TextDecoder(charset.toLowerCase());
  } catch {
    return null; // Not a charset that is known by this name.
  }
}

const SAMPLE_BYTES = 4096;

/** By the file's mark, by the zeros that every second byte of digits and line ends is, or by the escapes of ISO-2022-JP. */
function wholeFileCharset(bytes: Uint8Array): CharsetLabel | null {
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
  const many = sample.length / 5;
  if (odd > many && even * 8 < odd) return "utf-16le";
  if (even > many && odd * 8 < even) return "utf-16be";
  for (let at = sample.indexOf(0x1b); at !== -1; at = sample.indexOf(0x1b, at + 1))
    if (sample[at + 1] === 0x24 && (sample[at + 2] === 0x42 || sample[at + 2] === 0x40)) return "iso-2022-jp";
  return null;
}
