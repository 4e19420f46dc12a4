import type { Parameters, SipMessage } from "./message.ts";
import { parseParameters } from "./parameters.ts";
import { splitMessage } from "./split-message.ts";

/** Parts of one body. Bodies in use have two or three. */
const MAX_PARTS = 16;
/** A multipart inside a multipart. */
const MAX_DEPTH = 2;
const MAX_BOUNDARY_CHARACTERS = 70;
const HYPHEN = 0x2d;
/** CR and white space may follow a delimiter. */
const LINE_REST = new Set([0x0d, 0x20, 0x09]);
const SDP = "application/sdp";
/** RFC 3261 §20.11: the default of a session description, and that of early media by an application server (RFC 3959). */
const SESSION = "session";

interface Part {
  readonly type: string;
  readonly parameters: Parameters;
  readonly disposition: string;
  /** Whether the body stands as it is, neither base64 nor quoted-printable. */
  readonly plain: boolean;
  readonly body: Uint8Array;
}

/**
 * The session description of a message: its body, or a part of `multipart/mixed` or `multipart/alternative` (RFC 5621, RFC 2046 §5.1).
 * A body without Content-Type counts if it begins like SDP. Null if there is none.
 */
export function sdpOf(message: SipMessage): string | null {
  if (message.body.length === 0) return null;
  const found = findSdp(readPart(message.headers, message.body), MAX_DEPTH);
  return found === null ? null : Buffer.from(found.buffer, found.byteOffset, found.byteLength).toString("utf8");
}

/** Whether a message has a body that is neither SDP nor contains it: a 415, unless its handling is optional (RFC 3261 §8.2.3). */
export function hasForeignBody(message: SipMessage): boolean {
  if (message.body.length === 0 || sdpOf(message) !== null) return false;
  return !/;[ \t]*handling[ \t]*=[ \t]*"?optional\b/i.test(message.headers.get("content-disposition")?.[0] ?? "");
}

function findSdp(part: Part, depth: number): Uint8Array | null {
  if (part.type === SDP || (part.type === "" && startsLikeSdp(part.body)))
    return part.plain && part.disposition === SESSION ? part.body : null;
  if (depth === 0 || (part.type !== "multipart/mixed" && part.type !== "multipart/alternative")) return null;
  const parts = splitParts(part.body, part.parameters.get("boundary") ?? "");
  // The last alternative is the best one (RFC 2046 §5.1.4).
  if (part.type === "multipart/alternative") parts.reverse();
  for (const inner of parts) {
    const found = findSdp(inner, depth - 1);
    if (found !== null) return found;
  }
  return null;
}

function splitParts(bytes: Uint8Array, boundary: string): Part[] {
  if (boundary === "" || boundary.length > MAX_BOUNDARY_CHARACTERS) return [];
  // A line break before the first delimiter line, so that all look the same.
  const body = Buffer.concat([Buffer.from("\r\n"), bytes]);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const parts: Part[] = [];
  let start = delimiterEnd(body, delimiter, 0);
  while (start !== null && parts.length < MAX_PARTS) {
    const lineEnd = body.indexOf("\r\n", start);
    if (lineEnd === -1 || isClosing(body, start)) break;
    const next = delimiterEnd(body, delimiter, lineEnd);
    // A missing closing delimiter is forgiven: Content-Length tells that nothing is cut off.
    parts.push(parsePart(body.subarray(lineEnd, next === null ? body.length : next - delimiter.length)));
    start = next;
  }
  return parts;
}

/** Index after the next delimiter; null if there is none. The boundary of an inner multipart may begin with the outer one. */
function delimiterEnd(body: Buffer, delimiter: Buffer, from: number): number | null {
  for (let at = body.indexOf(delimiter, from); at !== -1; at = body.indexOf(delimiter, at + 1)) {
    const end = at + delimiter.length;
    if (end === body.length || LINE_REST.has(body[end] as number) || isClosing(body, end)) return end;
  }
  return null;
}

/** The last delimiter ends with two hyphens. */
function isClosing(body: Buffer, end: number): boolean {
  return body[end] === HYPHEN && body[end + 1] === HYPHEN;
}

/** Parses a part from the line break that ends its delimiter line. Parts may have no headers (RFC 2046 §5.1). */
function parsePart(bytes: Buffer): Part {
  const withoutHeaders = bytes.subarray(0, 4).equals(Buffer.from("\r\n\r\n"));
  if (withoutHeaders) return readPart(new Map(), bytes.subarray(4));
  const split = splitMessage(Buffer.concat([Buffer.from("part"), bytes]));
  return split === null ? readPart(new Map(), new Uint8Array()) : readPart(split.fields, split.rest);
}

function readPart(headers: ReadonlyMap<string, readonly string[]>, body: Uint8Array): Part {
  const type = readValue(headers.get("content-type")?.[0] ?? "");
  const encoding = (headers.get("content-transfer-encoding")?.[0] ?? "binary").toLowerCase();
  return {
    type: type.value,
    parameters: type.parameters,
    disposition: readValue(headers.get("content-disposition")?.[0] ?? SESSION).value,
    plain: ["binary", "8bit", "7bit"].includes(encoding) && !headers.has("content-encoding"),
    body,
  };
}

function readValue(text: string): { value: string; parameters: Parameters } {
  const semicolon = text.indexOf(";");
  const end = semicolon === -1 ? text.length : semicolon;
  return {
    value: text.slice(0, end).replace(/\s/g, "").toLowerCase(),
    parameters: parseParameters(text.slice(end)) ?? new Map<string, string | null>(),
  };
}

function startsLikeSdp(body: Uint8Array): boolean {
  return body[0] === 0x76 && body[1] === 0x3d && body[2] === 0x30;
}
