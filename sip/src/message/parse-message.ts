import type { NameAddress, ReceivedFields, SipMessage, SipResponse, Via } from "./message.ts";
import { looseNameAddress, parseNameAddress } from "./name-address.ts";
import { hasControl, isToken } from "./quoting.ts";
import { type SplitMessage, splitMessage } from "./split-message.ts";
import { parseVia } from "./via.ts";

export type ParsedMessage =
  | { readonly ok: true; readonly message: SipMessage }
  | {
      readonly ok: false;
      /** For logs; contains nothing of the message. */
      readonly problem: string;
      /** 400 or 505 for a request with legible Via, From, To, Call-ID and CSeq (RFC 3261 §8.2, §16.3). Its To may lack a tag. */
      readonly refusal: SipResponse | null;
    };

interface StartLine {
  readonly request: { readonly method: string; readonly uri: string; readonly knownVersion: boolean } | null;
  readonly response: { readonly status: number; readonly reason: string } | null;
}

interface Common {
  readonly vias: readonly Via[];
  readonly from: NameAddress;
  readonly to: NameAddress;
  readonly callId: string;
  readonly cseq: SipMessage["cseq"];
}

const REQUEST_LINE = /^([^ ]{1,64}) ([^\s]+) SIP\/(\d{1,9}\.\d{1,9})$/i;
/** A phrase may hold the separators of Unicode, which a dot does not match without its flag. */
const STATUS_LINE = /^SIP\/2\.0 ([1-6]\d\d)(?: (.*))?$/is;
const SIP_VERSION = "2.0";
const CALL_ID = /^[\u0021-\u007E]{1,1024}$/;
const CSEQ = /^(\d{1,32})[ \t]+(\S{1,64})$/;
const MAX_CSEQ = 2 ** 31 - 1;
const MAX_LENGTH_DIGITS = 10;
const BAD_REQUEST = { status: 400, reason: "Bad Request" };
const VERSION_NOT_SUPPORTED = { status: 505, reason: "Version Not Supported" };
/** They stand in fields of their own. */
const PARSED = ["via", "from", "to", "call-id", "cseq", "content-length"];

/** Parses a whole message: a datagram, or what a stream's framing cut out. Never throws. */
export function parseMessage(bytes: Uint8Array): ParsedMessage {
  const split = splitMessage(bytes);
  if (split === null) return { ok: false, problem: "no end of the headers, or too long", refusal: null };
  const { request, response } = parseStartLine(split.startLine);
  const common = parseCommon(split.fields);
  const body = readBody(split);
  if (request === null && response === null) return { ok: false, problem: "malformed start line", refusal: null };
  if (typeof common === "string") return { ok: false, problem: common, refusal: null };
  if (response !== null) {
    if (typeof body === "string" || split.problem !== null)
      return { ok: false, problem: split.problem ?? String(body), refusal: null };
    return { ok: true, message: { kind: "response", ...response, ...common, headers: otherHeaders(split), body } };
  }
  const { method, uri, knownVersion } = request as NonNullable<StartLine["request"]>;
  const refuse = (problem: string, status = BAD_REQUEST): ParsedMessage => {
    const repeats = receivedFields(split.fields);
    const refusal: SipResponse = { kind: "response", ...status, ...common, repeats, headers: new Map(), body: new Uint8Array() };
    return { ok: false, problem, refusal: method === "ACK" ? null : refusal };
  };
  if (!knownVersion) return refuse("unknown version", VERSION_NOT_SUPPORTED);
  if (split.problem !== null) return refuse(split.problem);
  if (typeof body === "string") return refuse(body);
  if (common.cseq.method !== method) return refuse("another method in CSeq");
  const received = receivedFields(split.fields);
  return { ok: true, message: { kind: "request", method, uri, received, ...common, headers: otherHeaders(split), body } };
}

function receivedFields(fields: SplitMessage["fields"]): ReceivedFields {
  return { vias: fields.get("via") ?? [], from: single(fields, "from"), to: single(fields, "to") };
}

function parseStartLine(line: string): StartLine {
  const nothing = { request: null, response: null };
  if (hasControl(line)) return nothing;
  const status = STATUS_LINE.exec(line);
  if (status !== null) return { request: null, response: { status: Number(status[1]), reason: status[2]?.trim() ?? "" } };
  const [, method, uri, version] = REQUEST_LINE.exec(line) ?? [];
  if (method === undefined || uri === undefined || !isToken(method)) return nothing;
  return { request: { method, uri, knownVersion: version === SIP_VERSION }, response: null };
}

/** The fields that a response copies, or which of them is missing, repeated or malformed. */
function parseCommon(fields: SplitMessage["fields"]): Common | string {
  const [top = null, ...below] = (fields.get("via") ?? []).map(parseVia);
  const from = readAddress(single(fields, "from"));
  const to = readAddress(single(fields, "to"));
  const callId = single(fields, "call-id");
  const [, digits, method = ""] = CSEQ.exec(single(fields, "cseq")) ?? [];
  const number = Number(digits);
  if (top === null) return "no or malformed Via";
  if (from === null) return "no single valid From";
  if (to === null) return "no single valid To";
  if (!CALL_ID.test(callId)) return "no single valid Call-ID";
  if (!(number <= MAX_CSEQ) || !isToken(method)) return "no single valid CSeq";
  // Those below the topmost are for others, and are only repeated.
  return { vias: [top, ...below.filter((via) => via !== null)], from, to, callId, cseq: { number, method } };
}

function readAddress(value: string): NameAddress | null {
  return parseNameAddress(value) ?? looseNameAddress(value);
}

/** The value of a header that must occur exactly once; otherwise empty. */
function single(fields: SplitMessage["fields"], name: string): string {
  const values = fields.get(name) ?? [];
  return values.length === 1 ? (values[0] as string) : "";
}

/** Without Content-Length the body ends with the message; what follows a shorter one is dropped (RFC 3261 §18.3). */
function readBody({ fields, rest }: SplitMessage): Uint8Array | string {
  const [stated, ...others] = new Set(fields.get("content-length"));
  if (stated === undefined) return rest;
  if (others.length > 0 || stated.length > MAX_LENGTH_DIGITS || !/^\d+$/.test(stated)) return "malformed Content-Length";
  return Number(stated) > rest.length ? "body shorter than its Content-Length" : rest.subarray(0, Number(stated));
}

function otherHeaders({ fields }: SplitMessage): SipMessage["headers"] {
  const headers = new Map(fields);
  for (const name of PARSED) headers.delete(name);
  return headers;
}
