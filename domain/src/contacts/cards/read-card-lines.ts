import { contactDetails, detailNames } from "../contact-details.ts";
import type { FileDecoder } from "../charset/file-decoder.ts";
import { contactFileLimits, type RepairKind } from "../contact-file.ts";

/** One property of a card, unfolded and decoded. */
export interface CardLine {
  /** In upper case, without its group: "TEL" for "item1.TEL". Empty for a line that is no property, whose value is then the name of the one before. */
  readonly name: string;
  /** "item1" for "item1.TEL", else "". */
  readonly group: string;
  /** As written: "TYPE=CELL,VOICE" or "CELL;PREF". */
  readonly parameters: string;
  readonly value: string;
  /** Whether the file or the next card begins right behind the value, so that its end may be missing. */
  readonly isCut: boolean;
  readonly repairs: readonly RepairKind[];
}

const WANTED = new Set<string>([
  ...["BEGIN", "END", "AGENT", "VERSION", "FN", "N", "NICKNAME", "EMAIL", "NOTE", "CATEGORIES", "TEL", "UID", "X-ABLABEL"],
  ...detailNames.map((detail) => contactDetails[detail].cardProperty),
]);
/** Begins or ends a card. Also found behind another property, if a line end was lost. */
const FRAME = /(?:BEGIN|END)[^\S\r\n]*:[^\S\r\n]*VCARD/i;
/** A property that names a person or a number, at the start of a line. */
const IDENTITY = /^\s*(?:[\w-]+\.)?(?:VERSION|FN|N|TEL|EMAIL)[:;]/;
/** A part of a property's name, alone or in front of another's. */
const BROKEN_NAME = /^(?!X-)[A-Z]{1,5}(?:FN|N|TEL|UID)$|^(?!TZ$)[A-Z]{1,2}$/;
/** Programs fold near 75 bytes, so an indented line after a shorter one may be a property with a stray space. */
const MIN_FOLDED_BYTES = 60;
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
const COLON = 0x3a;
/** The last five bits of "B" and "b". */
const BEGIN_LETTER = 2;
/** The last letters of BEGIN and END. */
const FRAME_ENDS: ReadonlySet<number> = new Set([..."NnDd"].map((letter) => letter.charCodeAt(0)));
/** Enough for "BEGIN : VCARD". */
const FRAME_BYTES = 12;
const MAX_START_BYTES = 80;

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
  let before = "";
  for (let line = lines.take(); line !== null; line = lines.take()) {
    if ((read += 1) % SLICE_LINES === 0) yield null;
    const head = headOf(line);
    const frame = head?.name === "AGENT" ? 0 : lines.frameWithin(line);
    if (frame > 0) {
      lines.goBack(line.length - frame);
      line = line.subarray(0, frame);
    }
    const wanted = head !== null && WANTED.has(head.name);
    if (head !== null) isMedia = MEDIA.has(head.name);
    const isQuoted = wanted && /quoted-printable/i.test(head.parameters);
    const parts = [wanted ? line.subarray(head.length, MAX_BYTES) : line];
    let length = line.length;
    let lastLength = line.length;
    // Nothing continues the first or the last line of a card, or a damaged line would join two cards.
    const mayFold = frame <= 0 && !isFrame(head);
    while (lines.continues(isQuoted, { last: mayFold ? (parts.at(-1) as Uint8Array) : null, lastLength })) {
      if ((read += 1) % SLICE_LINES === 0) yield null;
      const next = lines.take();
      if (next === null) break;
      length += next.length;
      lastLength = next.length;
      if (wanted && length <= MAX_BYTES) appendLine(parts, next, { isQuoted, keepsSpace });
    }
    // In 2.1 a picture may continue in lines that are neither indented nor properties.
    if (!isMedia) countedBytes += length;
    if (countedBytes > contactFileLimits.bytes) break;
    const isCut = lines.isAtEnd || lines.isAtBegin;
    // The rest of a name or number whose fold lost its space, or two lines of which a piece is lost.
    if ((head === null && /^(?:FN|N|TEL)$/.test(before) && !isMedia) || (!wanted && BROKEN_NAME.test(head?.name ?? "")))
      yield { name: "", group: "", parameters: "", value: head === null ? before : "", isCut, repairs: [] };
    before = head?.name ?? "";
    if (!wanted) continue;
    const property = { ...decoded(parts, head, { decoder, isQuoted }), isCut };
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
  { name, group, parameters }: { name: string; group: string; parameters: string },
  { decoder, isQuoted }: { decoder: FileDecoder; isQuoted: boolean },
): Omit<CardLine, "isCut"> {
  const joined = joinBytes(parts);
  const value = isQuoted ? withoutQuoting(joined) : isBase64(parameters) ? withoutBase64(joined) : joined;
  const charset = /charset="?([\w.:-]+)/i.exec(parameters)?.[1] ?? null;
  const { text, note } = charset === null ? decoder.decode(value) : decoder.decodeNamed(value, charset);
  return { name, group, parameters, value: text, repairs: note === null ? [] : [note] };
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
  #wentBack = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(): Uint8Array | null {
    this.#wentBack = false;
    while (this.#at < this.#bytes.length) {
      const end = this.#findEnd();
      const line = this.#bytes.subarray(this.#at, end);
      this.#at = end + 1;
      if (line.length > 0) return line;
    }
    return null;
  }

  /** Whether the next line continues the property whose latest line is `last`; null for a line that nothing continues. */
  continues(isQuoted: boolean, { last, lastLength }: { last: Uint8Array | null; lastLength: number }): boolean {
    if (last === null) return false;
    this.#skipLineEnds();
    const next = this.#bytes[this.#at];
    const isIndented = next === SPACE || next === TAB;
    const isSoft = isQuoted && last.at(-1) === EQUALS;
    if (!isIndented && !isSoft) return false;
    const start = latin1(this.#bytes.subarray(this.#at, this.#at + MAX_START_BYTES));
    // Neither a soft break at the end of a card nor a stray space includes the END line.
    if (FRAME.exec(start.trimStart())?.index === 0) return false;
    return !((isSoft ? !isIndented : lastLength < MIN_FOLDED_BYTES) && IDENTITY.test(start));
  }

  /** Whether the file ends here without a line end. */
  get isAtEnd(): boolean {
    return this.#at > this.#bytes.length;
  }

  /** Whether the next card begins here, on the line of the previous property. */
  get isAtBegin(): boolean {
    return this.#wentBack && (this.#bytes[this.#at] ?? 0) % 0x20 === BEGIN_LETTER;
  }

  /** Where a card begins or ends behind another property of this line; 0 if nowhere. */
  frameWithin(line: Uint8Array): number {
    if (line.length > MAX_HEADER_BYTES) return 0;
    let at = line.indexOf(COLON, 1);
    for (; at !== -1; at = line.indexOf(COLON, at + 1)) {
      if (!FRAME_ENDS.has(line[lastInkBefore(line, at)] ?? 0)) continue;
      const start = Math.max(0, at - FRAME_BYTES);
      const found = FRAME.exec(latin1(line.subarray(start, at + FRAME_BYTES)));
      const place = found === null ? 0 : start + found.index;
      if (place > 0 && !isBlank(line.subarray(0, place))) return place;
    }
    return 0;
  }

  /** Returns to a place within the line just taken. */
  goBack(bytes: number): void {
    this.#at -= bytes + 1;
    this.#wentBack = true;
  }

  /** CRLF is one line end. Some programs write each line end twice. */
  #skipLineEnds(): void {
    while (this.#bytes[this.#at] === LINE_FEED || this.#bytes[this.#at] === RETURN) this.#at += 1;
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

const NAME = String.raw`^(?<all>(?:\s|ï»¿)*(?:(?<group>[\w-]+)\.)?(?<name>[A-Za-z][\w-]*)`;
const HEAD = new RegExp(String.raw`${NAME}(?<parameters>(?:;(?:"[^"]*"|[^":])*)?)\s*:)`);
/** A quotation mark in the parameters that never closes is a character. */
const HEAD_WITH_OPEN_QUOTE = new RegExp(String.raw`${NAME}(?<parameters>;[^:]*)\s*:)`);

/** Parses the part before the first unquoted colon; null if the line is not a property. */
function headOf(line: Uint8Array): { name: string; group: string; parameters: string; length: number } | null {
  const text = latin1(line.subarray(0, MAX_HEADER_BYTES));
  const head = HEAD.exec(text)?.groups ?? HEAD_WITH_OPEN_QUOTE.exec(text)?.groups;
  if (head === undefined) return null;
  const { all = "", group = "", name = "", parameters = "" } = head;
  return { name: name.toUpperCase(), group: group.toLowerCase(), parameters: parameters.slice(1), length: all.length };
}

function isBase64(parameters: string): boolean {
  return /\b(base64|encoding=b)\b/i.test(parameters);
}

function lastInkBefore(line: Uint8Array, end: number): number {
  let at = end - 1;
  while (line[at] === SPACE || line[at] === TAB) at -= 1;
  return at;
}

function isBlank(bytes: Uint8Array): boolean {
  return /^[\sï»¿]*$/.test(latin1(bytes));
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
