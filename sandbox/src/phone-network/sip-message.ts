/** A small, strict parser and formatter of SIP messages (RFC 3261 §7, §25). Malformed input parses as null. */

export const MAX_DATAGRAM_BYTES = 8192;
const MAX_HEADERS = 128;

const TOKEN = /^[A-Za-z0-9\-.!%*_+`'~]+$/;
const REQUEST_LINE = /^([A-Z]{1,32}) (\S{1,1024}) SIP\/2\.0$/;
const STATUS_LINE = /^SIP\/2\.0 ([1-6]\d\d) ?(.*)$/;

/** RFC 3261 §7.3.3. */
const COMPACT_FORMS: Readonly<Record<string, string>> = {
  i: "call-id",
  m: "contact",
  e: "content-encoding",
  l: "content-length",
  c: "content-type",
  f: "from",
  s: "subject",
  k: "supported",
  t: "to",
  v: "via",
};
const LISTS = new Set(["via", "route", "record-route", "contact", "require", "supported", "allow", "accept"]);
const ONCE = ["from", "to", "call-id", "cseq"] as const;

export interface CSeq {
  number: number;
  method: string;
}

interface SipMessageBase {
  /** Values by lower-case name, in order; comma-separated lists are split. */
  headers: ReadonlyMap<string, readonly string[]>;
  vias: readonly Via[];
  from: NameAddress;
  to: NameAddress;
  callId: string;
  cseq: CSeq;
  body: string;
}
export interface SipRequest extends SipMessageBase {
  kind: "request";
  method: string;
  uri: string;
}
export interface SipResponse extends SipMessageBase {
  kind: "response";
  status: number;
  reason: string;
}

export interface Via {
  /** The original value, for copying into responses. */
  text: string;
  host: string;
  port: number | null;
  branch: string;
  /** Whether the sender requests responses at its source port (RFC 3581). */
  rport: boolean;
}

export interface NameAddress {
  text: string;
  uri: string;
  tag: string | null;
}

/** Parses one datagram; null for keep-alives and malformed messages. */
export function parseSip(datagram: Buffer): SipRequest | SipResponse | null {
  if (datagram.length > MAX_DATAGRAM_BYTES) return null;
  const headEnd = datagram.indexOf("\r\n\r\n");
  if (headEnd < 0) return null;
  const [startLine = "", ...lines] = unfold(datagram.toString("utf8", 0, headEnd)).split("\r\n");
  const headers = readHeaders(lines);
  if (!headers || hasControl(startLine)) return null;
  const body = readBody(headers, datagram.subarray(headEnd + 4));
  const common = body === null ? null : readCommon(headers, body);
  if (!common) return null;
  const request = REQUEST_LINE.exec(startLine);
  if (request) {
    const method = request[1] as string;
    return method === common.cseq.method ? { kind: "request", method, uri: request[2] as string, ...common } : null;
  }
  const status = STATUS_LINE.exec(startLine);
  return status ? { kind: "response", status: Number(status[1]), reason: status[2] ?? "", ...common } : null;
}

/** First value of a header, by lower-case name. */
export function header(message: SipRequest | SipResponse, name: string): string | undefined {
  return message.headers.get(name)?.[0];
}

/** Formats a message and adds Content-Length. */
export function formatSip(startLine: string, headers: readonly (readonly [string, string])[], body = ""): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.from(`${startLine}\r\n${lines}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** The user part of a sip, sips or tel URI, without parameters; empty if there is none. */
export function userOf(uri: string): string {
  const sip = /^sips?:([^@;?:]+)(?:[;:][^@]*)?@/i.exec(uri);
  return sip?.[1] ?? /^tel:([^;]+)/i.exec(uri)?.[1] ?? "";
}

/** Host and port of a sip URI; null for other URIs. */
export function hostOf(uri: string): { host: string; port: number | null } | null {
  const match = /^sips?:(?:[^@]*@)?(\[[0-9a-fA-F:.]+\]|[^:;?>\s]+)(?::(\d{1,5}))?(?:[;?].*)?$/i.exec(uri);
  if (!match) return null;
  return { host: (match[1] as string).replace(/^\[|\]$/g, ""), port: match[2] ? Number(match[2]) : null };
}

/** Parses `"Name" <uri>;tag=x` or the bare form `uri;tag=x`. */
export function parseNameAddress(text: string): NameAddress | null {
  const bracket = /^(?:"(?:[^"\\]|\\.)*"|[^<"]*)\s*<([^<>\s]+)>(.*)$/.exec(text);
  const uri = bracket ? (bracket[1] as string) : (/^([^;<>"\s]+)/.exec(text)?.[1] ?? "");
  if (!/^[a-z][a-z0-9+.-]*:./i.test(uri)) return null;
  const parameters = bracket ? (bracket[2] as string) : text.slice(uri.length);
  return { text, uri, tag: /;\s*tag\s*=\s*([^\s;]+)/i.exec(parameters)?.[1] ?? null };
}

/** Whether a line has control characters other than tab. */
function hasControl(line: string): boolean {
  for (let i = 0; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return true;
  }
  return false;
}

function unfold(head: string): string {
  return head.replace(/\r\n[ \t]+/g, " ");
}

function readHeaders(lines: readonly string[]): Map<string, string[]> | null {
  if (lines.length > MAX_HEADERS) return null;
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).trimEnd().toLowerCase();
    if (colon < 1 || !TOKEN.test(name) || hasControl(line)) return null;
    const full = COMPACT_FORMS[name] ?? name;
    const value = line.slice(colon + 1).trim();
    const values = LISTS.has(full) ? splitList(value) : [value];
    headers.set(full, [...(headers.get(full) ?? []), ...values]);
  }
  return headers;
}

function readBody(headers: ReadonlyMap<string, readonly string[]>, rest: Buffer): string | null {
  const stated = headers.get("content-length");
  if (stated === undefined) return rest.toString("utf8");
  if (stated.length !== 1 || !/^\d{1,5}$/.test(stated[0] as string)) return null;
  const length = Number(stated[0]);
  return length > rest.length ? null : rest.toString("utf8", 0, length);
}

function readCommon(headers: ReadonlyMap<string, readonly string[]>, body: string): SipMessageBase | null {
  if (ONCE.some((name) => headers.get(name)?.length !== 1)) return null;
  const vias = (headers.get("via") ?? []).map(parseVia);
  const from = parseNameAddress(headers.get("from")?.[0] ?? "");
  const to = parseNameAddress(headers.get("to")?.[0] ?? "");
  const callId = headers.get("call-id")?.[0] ?? "";
  const cseq = /^(\d{1,10})\s+([A-Z]+)$/.exec(headers.get("cseq")?.[0] ?? "");
  if (vias.length === 0 || !vias.every((via) => via !== null) || !from || !to || !/^\S{1,256}$/.test(callId) || !cseq)
    return null;
  const number = Number(cseq[1]);
  if (from.tag === null || number > 0x7fff_ffff) return null;
  return { headers, vias, from, to, callId, cseq: { number, method: cseq[2] as string }, body };
}

function parseVia(text: string): Via | null {
  const match = /^SIP\s*\/\s*2\.0\s*\/\s*[A-Z]+\s+(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+)(?:\s*:\s*(\d{1,5}))?\s*(;.*)?$/i.exec(text);
  const parameters = match?.[3] ?? "";
  const branch = /;\s*branch\s*=\s*([^\s;,]{1,256})/i.exec(parameters)?.[1];
  if (!match || !branch) return null;
  const port = match[2] ? Number(match[2]) : null;
  if (port !== null && (port < 1 || port > 65_535)) return null;
  return {
    text,
    host: (match[1] as string).replace(/^\[|\]$/g, ""),
    port,
    branch,
    rport: /;\s*rport\s*(?:;|$)/i.test(parameters),
  };
}

/** Splits at commas, except inside quotes and angle brackets. */
function splitList(value: string): string[] {
  const parts: string[] = [];
  let part = "";
  let quoted = false;
  let bracketed = false;
  for (const character of value) {
    if (character === '"') quoted = !quoted;
    else if (!quoted && character === "<") bracketed = true;
    else if (!quoted && character === ">") bracketed = false;
    if (character === "," && !quoted && !bracketed) {
      parts.push(part.trim());
      part = "";
    } else part += character;
  }
  parts.push(part.trim());
  return parts.filter((item) => item !== "");
}
