/** Reads the fields of a SIP message that the transport needs, without parsing the rest (RFC 3261 §7.3, including compact forms). */

export interface SipSummary {
  /** Null for a request. */
  readonly status: number | null;
  readonly method: string;
  readonly branch: string;
  readonly callId: string;
  readonly requestUri: string;
}

const FIRST_LINE = /^(?:SIP\/2\.0 ([1-6]\d\d) |([A-Z]+) (\S+) SIP\/2\.0$)/;
const BRANCH = /^(?:via|v)[ \t]*:[^\r\n]*?;[ \t]*branch[ \t]*=[ \t]*([^;,\s]+)/im;
const CSEQ = /^cseq[ \t]*:[ \t]*\d{1,10}[ \t]+([A-Z]+)[ \t]*$/im;
const CALL_ID = /^(?:call-id|i)[ \t]*:[ \t]*(\S+)[ \t]*$/im;
const ROUTE = /^route[ \t]*:[^\r\n<]*<(sips?:[^>]+)>/im;
const HOST = /^sips?:(?:[^@]*@)?(?:\[([0-9a-f:]+)\]|([^:;?>\s]+))(?::(\d{1,5}))?/i;
const DEFAULT_SIP_PORT = 5060;
/** Seven bits (ITU-T Q.850 §2.2.5). */
const MAX_Q850_CAUSE = 127;
/** Twice what carriers send. sip.js takes up to 4 µs a byte, so a full datagram would delay all calls. */
const MAX_HEADER_CHARACTERS = 6_144;

/** Null if the text is not SIP, lacks a field that we need, or has too long a header. */
export function summarize(text: string): SipSummary | null {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1 || end > MAX_HEADER_CHARACTERS) return null;
  const head = text.slice(0, end);
  const firstLine = FIRST_LINE.exec(head.slice(0, head.indexOf("\r\n") === -1 ? head.length : head.indexOf("\r\n")));
  const branch = BRANCH.exec(head)?.[1];
  const method = CSEQ.exec(head)?.[1];
  const callId = CALL_ID.exec(head)?.[1];
  if (firstLine === null || branch === undefined || method === undefined || callId === undefined) return null;
  if (firstLine[2] !== undefined && firstLine[2] !== method) return null;
  return {
    status: firstLine[1] === undefined ? null : Number(firstLine[1]),
    method,
    branch,
    callId,
    requestUri: firstLine[3] ?? "",
  };
}

/** The next hop of a request: its first Route, else its Request-URI (RFC 3261 §8.1.2). Null if there is no host. */
export function nextHop(text: string, requestUri: string): { host: string; port: number } | null {
  const uri = ROUTE.exec(text.slice(0, text.indexOf("\r\n\r\n")))?.[1] ?? requestUri;
  const parts = HOST.exec(uri);
  const host = parts?.[1] ?? parts?.[2];
  if (host === undefined) return null;
  const port = Number(parts?.[3] ?? DEFAULT_SIP_PORT);
  return port > 0 && port <= 65_535 ? { host, port } : null;
}

export interface FarReason {
  readonly text: string | null;
  readonly q850Cause: number | null;
}

/** Parses Reason headers (RFC 3326): `Q.850;cause=16;text="Normal call clearing"`. */
export function readReason(headers: readonly string[]): FarReason {
  let text: string | null = null;
  let q850Cause: number | null = null;
  for (const header of headers) {
    text ??= /;\s*text\s*=\s*"([^"]{1,200})"/i.exec(header)?.[1] ?? null;
    const cause = /^\s*Q\.850\s*;(?:.*;)?\s*cause\s*=\s*(\d{1,3})/i.exec(header)?.[1];
    if (cause !== undefined && Number(cause) <= MAX_Q850_CAUSE) q850Cause = Number(cause);
  }
  return { text, q850Cause };
}
