import type { CharsetLabel } from "./charset-labels.ts";
import { detectCharset } from "./detect-charset.ts";
import { looksLikeUtf8, surveyBytes } from "./survey-bytes.ts";

type Decoder = InstanceType<typeof TextDecoder>;

/** What was unusual about a text. */
type DecodeNote =
  /** It is in another character set than the file. */
  | "other_charset"
  /** Invalid bytes were dropped. */
  | "bytes_left_out";

export interface Decoded {
  readonly text: string;
  readonly note: DecodeNote | null;
}

/** Charsets whose delimiters are not single ASCII bytes. Such a file is converted to UTF-8 as a whole. */
const WHOLE_FILE: ReadonlySet<CharsetLabel> = new Set(["utf-16le", "utf-16be", "iso-2022-jp"]);
const SEVERAL_BYTES = new Set(["shift_jis", "gb18030", "gbk", "big5", "euc-jp", "euc-kr"]);
/** Single words in another charset may be valid UTF-8 by chance, so this share of lines must be UTF-8 to count as such. */
const MIN_UTF8_SHARE = 10;

/**
 * Decodes the texts of a file one by one, so that an invalid byte or a text in another charset affects no other text. UTF-8 is
 * recognised reliably; the rest is in one other charset, which is detected or chosen by the user.
 */
export class FileDecoder {
  /** The charset of texts that are not UTF-8; "utf-8" if all are. */
  readonly charset: CharsetLabel;
  readonly #takesUtf8: boolean;
  readonly #decoder: Decoder;
  readonly #utf8 = new TextDecoder();
  readonly #isMainlyUtf8: boolean;

  constructor(charset: CharsetLabel, { utf8Lines, otherLines }: { readonly utf8Lines: number; readonly otherLines: number }) {
    this.charset = charset;
    this.#isMainlyUtf8 = utf8Lines >= otherLines;
    this.#takesUtf8 = charset === "utf-8" || (otherLines > 0 && utf8Lines * MIN_UTF8_SHARE > otherLines);
    this.#decoder = new TextDecoder(charset);
  }

  /** Whether most of the file is UTF-8 and the rest is in `charset`. */
  get isMixed(): boolean {
    return this.charset !== "utf-8" && this.#takesUtf8 && this.#isMainlyUtf8;
  }

  decode(bytes: Uint8Array): Decoded {
    if (isAscii(bytes)) return { text: this.#utf8.decode(bytes), note: null };
    if (this.#takesUtf8) {
      const text = this.#utf8.decode(bytes);
      if (isUnbroken(text, bytes)) return { text, note: null };
      if (this.charset === "utf-8" || looksLikeUtf8(bytes)) return dropInvalidBytes(text);
    }
    const decoded = dropInvalidBytes(this.#decoder.decode(bytes));
    return decoded.note === null && this.isMixed ? { ...decoded, note: "other_charset" } : decoded;
  }

  /** Decodes a text that names its charset. Programs name wrong ones, so bytes that are valid UTF-8 are decoded as such. */
  decodeNamed(bytes: Uint8Array, charset: string): Decoded {
    const named = decoderFor(charset);
    if (named === null || named.encoding === "utf-8" || isAscii(bytes)) return this.decode(bytes);
    const utf8 = this.#utf8.decode(bytes);
    if (!SEVERAL_BYTES.has(named.encoding) && isUnbroken(utf8, bytes)) return { text: utf8, note: null };
    return dropInvalidBytes(named.decode(bytes));
  }
}

interface OpenedText {
  readonly bytes: Uint8Array;
  readonly decoder: FileDecoder;
  /** The charset from which the whole file was converted, or the decoder's. */
  readonly charset: CharsetLabel;
}

/** @param chosen the user's charset, or null to detect it @param hasKnownWord see `detectCharset` */
export function* openText(
  bytes: Uint8Array,
  chosen: CharsetLabel | null,
  hasKnownWord: (text: string) => boolean,
): Generator<null, OpenedText, void> {
  const whole = chosen === null ? wholeFileCharset(bytes) : WHOLE_FILE.has(chosen) ? chosen : null;
  if (whole !== null) {
    const converted = new TextEncoder().encode(new TextDecoder(whole).decode(bytes));
    return { bytes: converted, decoder: new FileDecoder("utf-8", { utf8Lines: 1, otherLines: 0 }), charset: whole };
  }
  const text = withoutByteOrderMark(bytes);
  const survey = yield* surveyBytes(text);
  const charset = chosen ?? (survey.otherLines === 0 ? "utf-8" : detectCharset(survey.sample, hasKnownWord));
  const decoder = new FileDecoder(charset, survey);
  return { bytes: text, decoder, charset };
}

function dropInvalidBytes(text: string): Decoded {
  if (!text.includes("\ufffd")) return { text, note: null };
  return { text: text.replaceAll("\ufffd", ""), note: "bytes_left_out" };
}

/** Whether decoding added no replacement character that is not in the bytes themselves. */
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

function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

function decoderFor(charset: string): Decoder | null {
  try {
    return new TextDecoder(charset.toLowerCase());
  } catch {
    return null; // An unknown charset.
  }
}

const SAMPLE_BYTES = 4096;

/** Detects UTF-16 by its byte order mark or its zero bytes, and ISO-2022-JP by its escape sequences. */
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
