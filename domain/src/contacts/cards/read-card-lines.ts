import { contactDetails, detailNames } from "../contact-details.ts";
import type { FileDecoder } from "../charset/file-decoder.ts";
import { contactFileLimits, type RepairKind } from "../contact-file.ts";

/** One property of a card, unfolded and decoded. */
export interface CardLine {
  /** In upper case, without its group: "TEL" for "item1.TEL". */
  readonly name: string;
  /** As written: "TYPE=CELL,VOICE" or "CELL;PREF". */
  readonly parameters: string;
  readonly value: string;
  readonly repairs: readonly RepairKind[];
}

const WANTED = new Set<string>([
  ...["BEGIN", "END", "AGENT", "VERSION", "FN", "N", "NICKNAME", "EMAIL", "NOTE", "CATEGORIES", "TEL"],
  ...detailNames.map((detail) => contactDetails[detail].cardProperty),
]);
/** Do not count towards the size of a file. */
const MEDIA = new Set(["PHOTO", "LOGO", "SOUND", "KEY"]);
/** Limit of a property: enough for the longest value with every byte encoded. */
const MAX_BYTES = contactFileLimits.cellCharacters * 12 + 1000;
const MAX_HEADER_BYTES = 1000;
/** Lines read before the caller may pause. */
const SLICE_LINES = 500;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const EQUALS = 0x3d;

/**
 * Yields the card properties that a contact can store, in order, and null where the caller may pause. Lines are unfolded as bytes,
 * because a fold may split a character: a line that starts with a space or tab continues the previous line (2.1 keeps that space,
 * later versions drop it), and a quoted-printable line that ends with "=" always continues. Other properties, above all pictures,
 * are skipped without copying.
 * @returns the number of bytes of all properties except pictures and sounds
 */
export function* readCardLines(bytes: Uint8Array, decoder: FileDecoder): Generator<CardLine | null, number, void> {
  const lines = new LineReader(bytes);
  let keepsSpace = false;
  let countedBytes = 0;
  let read = 0;
  let isMedia = false;
  for (let line = lines.take(); line !== null; line = lines.take()) {
    if ((read += 1) % SLICE_LINES === 0) yield null;
    const head = headOf(line);
    const wanted = head !== null && WANTED.has(head.name);
    if (head !== null) isMedia = MEDIA.has(head.name);
    const isQuoted = wanted && /quoted-printable/i.test(head.parameters);
    const parts = [wanted ? line.subarray(head.length, MAX_BYTES) : line];
    let length = line.length;
    // Nothing continues the first or the last line of a card, or a damaged line would join two cards.
    while (!isFrame(head) && lines.continues(isQuoted, parts.at(-1) as Uint8Array)) {
      if ((read += 1) % SLICE_LINES === 0) yield null;
      const next = lines.take();
      if (next === null) break;
      length += next.length;
      if (wanted && length <= MAX_BYTES) appendLine(parts, next, { isQuoted, keepsSpace });
    }
    // In 2.1 a picture may continue in lines that are neither indented nor properties.
    if (!isMedia) countedBytes += length;
    if (countedBytes > contactFileLimits.bytes) break;
    if (!wanted) continue;
    const property = decoded(parts, head, { decoder, isQuoted });
    if (head.name === "VERSION") keepsSpace = property.value.trim() === "2.1";
    yield property;
  }
  return countedBytes;
}

function isFrame(head: { readonly name: string } | null): boolean {
  return head?.name === "BEGIN" || head?.name === "END";
}

/** Appends a continuation line to a property's lines. */
function appendLine(parts: Uint8Array[], next: Uint8Array, how: { isQuoted: boolean; keepsSpace: boolean }): void {
  const last = parts.at(-1) as Uint8Array;
  const isSoft = how.isQuoted && last.at(-1) === EQUALS;
  const rest = next.subarray(indentOf(next));
  if (!isSoft) {
    parts.push(how.keepsSpace && !(how.isQuoted && rest[0] === EQUALS) ? next : next.subarray(1));
    return;
  }
  parts[parts.length - 1] = last.subarray(0, -1);
  // Some programs indent the line after a soft break, others break before a space in the text.
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

/** Decodes quoted-printable (RFC 2045, 6.7). */
function withoutQuoting(bytes: Uint8Array): Uint8Array {
  const plain = new Uint8Array(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    const hex = byte === EQUALS ? latin1(bytes.subarray(at + 1, at + 3)) : "";
    if (byte === EQUALS && hex === "") break; // A soft break at the end.
    const isCode = /^[0-9a-f]{2}$/i.test(hex);
    plain[length] = isCode ? Number.parseInt(hex, 16) : byte;
    length += 1;
    if (isCode) at += 2;
  }
  return plain.subarray(0, length);
}

/** Decodes base64, in which some programs write names; invalid base64 stays unchanged. */
function withoutBase64(bytes: Uint8Array): Uint8Array {
  try {
    return Uint8Array.from(atob(latin1(bytes).replace(/\s/g, "")), (letter) => letter.charCodeAt(0));
  } catch {
    return bytes;
  }
}

/** Reads non-empty lines with any line ends. */
class LineReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  /** The next position of each line end, cached so that the bytes are searched once. */
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

  /** Whether the next line continues the property whose latest line is `last`. */
  continues(isQuoted: boolean, last: Uint8Array): boolean {
    this.#skipLineFeed();
    const next = this.#bytes[this.#at];
    if (next === SPACE || next === TAB) return true;
    if (!isQuoted || last.at(-1) !== EQUALS) return false;
    // A soft break at the end of a card does not include the END line.
    return !/^(BEGIN|END)\s*:\s*VCARD/i.test(latin1(this.#bytes.subarray(this.#at, this.#at + 20)));
  }

  /** Treats CRLF as one line end. */
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

/** Parses the part before the first unquoted colon; null if the line is not a property. */
function headOf(line: Uint8Array): { name: string; parameters: string; length: number } | null {
  const text = latin1(line.subarray(0, MAX_HEADER_BYTES));
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

/** Decodes bytes as Latin-1. */
function latin1(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
