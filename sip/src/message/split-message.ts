import { isList, longName } from "./header-names.ts";
import { hasControl, isToken, splitOutside } from "./quoting.ts";

/** Header and body. */
export const MAX_MESSAGE_BYTES = 65_536;
export const MAX_HEAD_BYTES = 32_768;
const PEEKED_BYTES = 4_096;
const MAX_HEADERS = 256;
const MAX_HEADER_CHARACTERS = 16_384;
/** Of all headers together, after lists are split. */
const MAX_VALUES = 1_024;
/** A message that is wrong in one of them cannot be answered. All others that are malformed are passed over (RFC 3261 §8.2.2). */
const NEEDED: ReadonlySet<string> = new Set(["via", "from", "to", "call-id", "cseq", "content-length", "require"]);
const HEAD_END = "\r\n\r\n";
const CR = 0x0d;
const LF = 0x0a;

/** A message's parts before their values are understood. */
export interface SplitMessage {
  readonly startLine: string;
  /** Values by lower-case long name, in order. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** What follows the head; Content-Length is not applied yet. */
  readonly rest: Uint8Array;
  /** What is wrong with the headers that are needed; null if nothing is. Malformed headers are left out. */
  readonly problem: string | null;
}

/** Splits a message into start line, headers and body (RFC 3261 §7). Null without an empty line, or above the size limits. */
export function splitMessage(bytes: Uint8Array): SplitMessage | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.length > MAX_MESSAGE_BYTES) return null;
  const start = firstByte(buffer);
  const end = buffer.indexOf(HEAD_END, start, "latin1");
  if (end === -1 || end - start > MAX_HEAD_BYTES) return null;
  const [startLine = "", ...lines] = buffer
    .toString("utf8", start, end)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  return { startLine, ...readFields(lines), rest: buffer.subarray(end + HEAD_END.length) };
}

/** The Call-ID as far as it can be told without reading the message, to decide whether to. Empty if it is not among the first headers. */
export function peekCallId(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, PEEKED_BYTES)).toString("latin1");
  return /\n(?:call-id|i)[ \t]*:[ \t]*(\S+)/i.exec(start)?.[1] ?? "";
}

/** Empty lines before the start line are ignored (RFC 3261 §7.5). */
function firstByte(buffer: Buffer): number {
  let start = 0;
  while (buffer[start] === CR && buffer[start + 1] === LF) start += 2;
  return start;
}

function readFields(lines: readonly string[]): Pick<SplitMessage, "fields" | "problem"> {
  const fields = new Map<string, string[]>();
  let count = 0;
  let problem = lines.length > MAX_HEADERS ? "too many headers" : null;
  for (const line of lines.slice(0, MAX_HEADERS)) {
    const header = readLine(line);
    if (header === null) {
      if (NEEDED.has(nameOf(line))) problem ??= "malformed header";
      continue;
    }
    const values = fields.get(header.name) ?? [];
    values.push(...header.values);
    fields.set(header.name, values);
    count += header.values.length;
    if (count > MAX_VALUES) return { fields, problem: "too many header values" };
  }
  return { fields, problem };
}

function nameOf(line: string): string {
  return longName(line.slice(0, Math.max(line.indexOf(":"), 0)).trim());
}

function readLine(line: string): { name: string; values: string[] } | null {
  const colon = line.indexOf(":");
  const name = nameOf(line);
  if (line.length > MAX_HEADER_CHARACTERS || !isToken(name) || hasControl(line)) return null;
  const value = line.slice(colon + 1).trim();
  return { name, values: isList(name) ? splitOutside(value, ",") : [value] };
}
