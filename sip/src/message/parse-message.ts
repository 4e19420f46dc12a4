import type { NameAddress, ReceivedFields, SipMessage, SipResponse, Via } from "./message.ts";
import { looseNameAddress, parseNameAddress } from "./name-address.ts";
import { hasControl, isToken } from "./quoting.ts";
import { type SplitMessage, splitMessage } from "./split-message.ts";
import { parseUri } from "./uri.ts";
import { parseVia } from "./via.ts";

export type ParsedMessage =
  | { readonly ok: true; readonly message: SipMessage }
  | {
      readonly ok: false;
      /** For logs; contains nothing of the message. */
      readonly problem: string;
      /** 400 or 505 for a request with a legible Via, but no ACK (RFC 3261 §8.2, §16.3). It repeats what there is; its To may lack a tag. */
      readonly refusal: SipResponse | null;
    };

interface RequestLine {
  readonly method: string;
  readonly uri: string;
  readonly version: string;
  readonly flaw: string | null;
}

interface StartLine {
  readonly request: RequestLine | null;
  readonly response: { readonly status: number; readonly reason: string } | null;
}

interface Common {
  readonly vias: readonly Via[];
  readonly from: NameAddress;
  readonly to: NameAddress;
  readonly callId: string;
  readonly cseq: SipMessage["cseq"];
  readonly flaw: string | null;
}

const MAX_METHOD_CHARACTERS = 64;
const VERSION = /^SIP\/(\d{1,9}\.\d{1,9})$/i;
const SCHEME = /^([a-z][a-z0-9+.-]*):./i;
/** Schemes whose URIs we read. */
const READ_SCHEMES: readonly string[] = ["sip", "sips", "tel"];
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
  if (request !== null) return parseRequest(request, split);
  const common = parseCommon(split.fields);
  const body = readBody(split);
  if (response === null) return { ok: false, problem: "malformed start line", refusal: null };
  const problem = typeof common === "string" ? common : typeof body === "string" ? body : split.problem;
  if (problem !== null || typeof common === "string" || typeof body === "string")
    return { ok: false, problem: String(problem), refusal: null };
  const { flaw: _, ...fields } = common;
  return { ok: true, message: { kind: "response", ...response, ...fields, headers: otherHeaders(split), body } };
}

function parseRequest({ method, uri, version, flaw: lineFlaw }: RequestLine, split: SplitMessage): ParsedMessage {
  const common = parseCommon(split.fields);
  const body = readBody(split);
  const refuse = (problem: string, status = BAD_REQUEST): ParsedMessage => {
    return { ok: false, problem, refusal: method === "ACK" ? null : refusalOf(split.fields, method, status) };
  };
  if (version !== SIP_VERSION) return refuse("unknown version", VERSION_NOT_SUPPORTED);
  if (hasControl(uri)) return refuse("control character in the Request-URI");
  if (typeof common === "string") return refuse(common);
  if (split.problem !== null) return refuse(split.problem);
  if (typeof body === "string") return refuse(body);
  if (common.cseq.method !== method) return refuse("another method in CSeq");
  const { flaw: commonFlaw, ...fields } = common;
  const flaw = lineFlaw ?? commonFlaw;
  const received = receivedFields(split.fields);
  const message: SipMessage = { kind: "request", method, uri, received, ...fields, headers: otherHeaders(split), body };
  return { ok: true, message: flaw === null ? message : { ...message, flaw } };
}

/** Repeats what the request has, be it malformed. Null without a Via, which says where it goes. */
function refusalOf(
  fields: SplitMessage["fields"],
  method: string,
  status: Pick<SipResponse, "status" | "reason">,
): SipResponse | null {
  const repeats = receivedFields(fields);
  const top = parseVia(repeats.vias[0] ?? "");
  if (top === null) return null;
  const unread: NameAddress = { display: "", uri: "", parameters: new Map() };
  const [from, to] = [repeats.from, repeats.to].map((value) => readAddress(value)?.address ?? unread) as [
    NameAddress,
    NameAddress,
  ];
  const cseq = { number: 0, method };
  const common = { vias: [top], from, to, callId: repeats.callId, cseq, headers: new Map(), body: new Uint8Array() };
  return { kind: "response", ...status, ...common, repeats };
}

function receivedFields(fields: SplitMessage["fields"]): ReceivedFields {
  const first = (name: string): string => fields.get(name)?.[0] ?? "";
  const [from, to, callId, cseq] = ["from", "to", "call-id", "cseq"].map(first) as [string, string, string, string];
  return { vias: fields.get("via") ?? [], from, to, callId, cseq };
}

function parseStartLine(line: string): StartLine {
  const nothing = { request: null, response: null };
  const status = hasControl(line) ? null : STATUS_LINE.exec(line);
  if (status !== null) return { request: null, response: { status: Number(status[1]), reason: status[2]?.trim() ?? "" } };
  const [method = "", ...rest] = line.trim().split(/\s+/);
  const version = VERSION.exec(rest.pop() ?? "")?.[1];
  const uri = rest.join(" ");
  if (version === undefined || uri === "" || method.length > MAX_METHOD_CHARACTERS || !isToken(method)) return nothing;
  const isPlain = rest.length === 1 && line.length === method.length + uri.length + version.length + "  SIP/".length;
  const flaw = isPlain ? (isRequestUri(uri) ? null : "malformed Request-URI") : "white space in the request line";
  return { request: { method, uri, version, flaw }, response: null };
}

/** Whether it has a scheme and, if we know that, is a URI of it, without headers (RFC 3261 §19.1.1 table 1). */
function isRequestUri(text: string): boolean {
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined || !READ_SCHEMES.includes(scheme)) return scheme !== undefined;
  const uri = parseUri(text);
  return uri !== null && !(uri.scheme !== "tel" && uri.headers.size > 0);
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
  const flaw = from.isLoose || to.isLoose ? "malformed From or To" : hasEmptyElement(fields) ? "empty parameter in Via" : null;
  const [{ address: sender }, { address: recipient }] = [from, to];
  // Those below the topmost are for others, and are only repeated.
  const vias = [top, ...below.filter((via) => via !== null)];
  return { vias, from: sender, to: recipient, callId, cseq: { number, method }, flaw };
}

function readAddress(value: string): { readonly address: NameAddress; readonly isLoose: boolean } | null {
  const strict = parseNameAddress(value);
  const address = strict ?? looseNameAddress(value);
  return address && { address, isLoose: strict === null };
}

function hasEmptyElement(fields: SplitMessage["fields"]): boolean {
  return /;[ \t]*(?:;|$)/.test((fields.get("via")?.[0] ?? "").replace(/"[^"]*"/g, ""));
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
