import type { FileDecoder } from "../charset/file-decoder.ts";
import { contactFileLimits } from "../contact-limits.ts";
import type { RepairKind } from "../contact-file.ts";

/** One property of a card, unfolded, decoded and with its transfer encoding undone. */
export interface CardLine {
  /** In capitals, without its group: "TEL" of "item1.TEL". */
  readonly name: string;
  /** As written, in any order: "TYPE=CELL,VOICE" or "CELL;PREF". */
  readonly parameters: string;
  readonly value: string;
  readonly repairs: readonly RepairKind[];
}

const WANTED = new Set(["BEGIN", "END", "AGENT", "VERSION", "FN", "N", "NICKNAME", "ORG", "EMAIL", "NOTE", "CATEGORIES", "TEL"]);
/** Not counted towards the size of a file. */
const MEDIA = new Set(["PHOTO", "LOGO", "SOUND", "KEY"]);
/** Of a property that is kept: enough for the longest value with every byte encoded. */
const MOST_BYTES = contactFileLimits.cellCharacters * 12 + 1000;
const MOST_HEAD_BYTES = 1000;
/** Lines read before the caller may pause. */
const SLICE_LINES = 500;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const EQUALS = 0x3d;

/**
 * The card properties that a contact can store, in order; null where the caller may pause. Lines are unfolded as bytes, because a
 * fold may stand inside a letter: one that begins with a space or tab continues the line before (in 2.1 with that space, later
 * without), and a quoted-printable one that ends with "=" continues on the next line in any case. Whatever is not kept, pictures
 * above all, is passed over without a copy.
 * @returns the bytes of all properties but the pictures and sounds
 */
export function* readCardLines(bytes: Uint8Array, decoder: FileDecoder): Generator<CardLine | null, number, void> {
  const lines = new LineReader(bytes);
  let keepsSpace = false;
  let counted = 0;
  let read = 0;
  let isMedia = false;
  for (let line = lines.take(); line !== null; line = lines.take()) {
    if ((read += 1) % SLICE_LINES === 0) yield null;
    const head = headOf(line);
    const wanted = head !== null && WANTED.has(head.name);
    if (head !== null) isMedia = MEDIA.has(head.name);
    const isQuoted = wanted && /quoted-printable/i.test(head.parameters);
    const parts = [wanted ? line.subarray(head.length, MOST_BYTES) : line];
    let length = line.length;
    while (lines.continues(isQuoted, parts.at(-1) as Uint8Array)) {
      if ((read += 1) % SLICE_LINES === 0) yield null;
      const next = lines.take();
      if (next === null) break;
      length += next.length;
      if (wanted && length <= MOST_BYTES) appendLine(parts, next, { isQuoted, keepsSpace });
    }
    // A picture in 2.1 may go on in lines that are neither indented nor properties.
    if (!isMedia) counted += length;
    if (counted > contactFileLimits.bytes) break;
    if (!wanted) continue;
    const property = decoded(parts, head, { decoder, isQuoted });
    if (head.name === "VERSION") keepsSpace = property.value.trim() === "2.1";
    yield property;
  }
  return counted;
}

/** Appends a line that continues a property to the lines of the property. */
function appendLine(parts: Uint8Array[], next: Uint8Array, how: { isQuoted: boolean; keepsSpace: boolean }): void {
  const last = parts.at(-1) as Uint8Array;
  const isSoft = how.isQuoted && last.at(-1) === EQUALS;
  const rest = next.subarray(indentOf(next));
  if (!isSoft) {
    parts.push(how.keepsSpace && !(how.isQuoted && rest[0] === EQUALS) ? next : next.subarray(1));
    return;
  }
  parts[parts.length - 1] = last.subarray(0, -1);
  // Some programs indent the line after a soft break, others break before a space of the text.
  const isIndented = rest.length < next.length && (rest[0] === EQUALS || /=[0-9a-f]{2}$/i.test(latin1(last.subarray(-4, -1))));
  parts.push(isIndented ? rest : next);
}

function decoded(
  parts: readonly Uint8Array[],
  { name, parameters }: { name: string; parameters: string },
  { decoder, isQuoted }: { decoder: FileDecoder; isQuoted: boolean },
): CardLine {
  const joined = joinBytes(parts);
  const value = isQuoted ? withoutQuoting(joined) : isBase64(parameters) ? withoutBase64(joined) : joined;
  const charset = /charset="?([\w.:-]+)/i.exec(parameters)?.[1] ?? null;
  const { text, note } = charset === null ? decoder.decode(value) : decoder.decodeNamed(value, charset);
  return { name, parameters, value: text, repairs: note === null ? [] : [note] };
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Undoes quoted-printable (RFC 2045, 6.7). */
function withoutQuoting(bytes: Uint8Array): Uint8Array {
  const plain = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    const hex = byte === EQUALS ? latin1(bytes.subarray(at + 1, at + 3)) : "";
    if (byte === EQUALS && hex === "") break; // A soft break with nothing behind it.
    const isCode = /^[0-9a-f]{2}$/i.test(hex);
    plain[length] = isCode ? Number.parseInt(hex, 16) : byte;
    length += 1;
    if (isCode) at += 2;
  }
  return plain.subarray(0, length);
}

/** Undoes base64, in which some programs write names; what is not base64 stays as it is. */
function withoutBase64(bytes: Uint8Array): Uint8Array {
  try {
    return Uint8Array.from(atob(latin1(bytes).replace(/\s/g, "")), (letter) => letter.charCodeAt(0));
  } catch {
    return bytes;
  }
}

/** Reads lines one after another; any line end, and empty ones left out. */
class LineReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  /** The next of each line end, kept until passed, so that the bytes are searched once. */
  #nextFeed = -1;
  #nextReturn = -1;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(): Uint8Array | null {
    while (this.#at < this.#bytes.length) {
      const end = this.#findEnd();
      const line = this.#bytes.subarray(this.#at, end);
      this.#at = end + 1;
      if (line.length > 0) return line;
    }
    return null;
  }

  /** Whether the next line continues a property whose last line so far is `last`. */
  continues(isQuoted: boolean, last: Uint8Array): boolean {
    this.#skipLineFeed();
    const next = this.#bytes[this.#at];
    if (next === SPACE || next === TAB) return true;
    if (!isQuoted || last.at(-1) !== EQUALS) return false;
    // A soft break that is the last of its card does not swallow the end of the card.
    return !/^(BEGIN|END)\s*:\s*VCARD/i.test(latin1(this.#bytes.subarray(this.#at, this.#at + 20)));
  }

  /** Between a return and its line feed no line stands. */
  #skipLineFeed(): void {
    if (this.#bytes[this.#at] === LINE_FEED && this.#bytes[this.#at - 1] === RETURN) this.#at += 1;
  }

  #findEnd(): number {
    if (this.#nextFeed < this.#at) this.#nextFeed = this.#find(LINE_FEED);
    if (this.#nextReturn < this.#at) this.#nextReturn = this.#find(RETURN);
    return Math.min(this.#nextFeed, this.#nextReturn);
  }

  #find(byte: number): number {
    const found = this.#bytes.indexOf(byte, this.#at);
    return found === -1 ? this.#bytes.length : found;
  }
}

/** What stands before the first colon outside quotes; null when the line is no property. */
function headOf(line: Uint8Array): { name: string; parameters: string; length: number } | null {
  const text = latin1(line.subarray(0, MOST_HEAD_BYTES));
  const head = /^\s*(?:[\w-]+\.)?([A-Za-z][\w-]*)((?:;(?:"[^"]*"|[^":])*)?)\s*:/.exec(text);
  if (head === null) return null;
  return { name: (head[1] ?? "").toUpperCase(), parameters: (head[2] ?? "").slice(1), length: head[0].length };
}

function isBase64(parameters: string): boolean {
  return /\b(base64|encoding=b)\b/i.test(parameters);
}

function indentOf(line: Uint8Array): number {
  const first = line.findIndex((byte) => byte !== SPACE && byte !== TAB);
  return first === -1 ? line.length : first;
}

/** Bytes as letters of the same code, one letter for each byte. */
function latin1(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
