import type { Parameters } from "./message.ts";

/** `sip:user:password@host:port;parameters?headers` (RFC 3261 §19.1.1). Texts are as written, with their escapes. */
export interface SipUri {
  readonly scheme: "sip" | "sips";
  readonly user: string | null;
  readonly password: string | null;
  /** Without brackets for IPv6. */
  readonly host: string;
  readonly port: number | null;
  readonly parameters: Parameters;
  readonly headers: ReadonlyMap<string, string>;
}

/** `tel:number;parameters` (RFC 3966). */
interface TelUri {
  readonly scheme: "tel";
  /** As written, with visual separators. */
  readonly number: string;
  readonly parameters: Parameters;
}

type Uri = SipUri | TelUri;

const MAX_URI_CHARACTERS = 2_048;
const MAX_PARAMETERS = 64;
const SIP_URI = /^(sips?):(?:([^@:]*)(?::([^@]*))?@)?([^@;?]+)(;[^?]*)?(?:\?(.*))?$/i;
const TEL_URI = /^tel:([+0-9a-f*#().-]+)(;.*)?$/i;
/** A host name, an IPv4 address or a bracketed IPv6 address. Host names in use have underscores too. */
const HOST_PORT = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::(\d{1,5}))?$/i;
/** They match only if both URIs have them (RFC 3261 §19.1.4). */
const COMPARED_PARAMETERS = ["user", "ttl", "method", "maddr", "transport"];
/** Reserved characters, which differ from their escapes (RFC 3261 §19.1.4, RFC 2396 §2.2). */
const RESERVED = new Set(";/?:@&=+$,");

/** Parses a sip, sips or tel URI. Null for other schemes and malformed URIs. */
export function parseUri(text: string): Uri | null {
  if (text.length > MAX_URI_CHARACTERS || /[\s<>"]/.test(text)) return null;
  const tel = TEL_URI.exec(text);
  if (tel !== null) {
    const parameters = parseUriParameters(tel[2] ?? "");
    return parameters && { scheme: "tel", number: tel[1] as string, parameters };
  }
  const sip = SIP_URI.exec(text);
  const hostPort = splitHostPort(sip?.[4] ?? "");
  const parameters = parseUriParameters(sip?.[5] ?? "");
  const headers = parseHeaders(sip?.[6] ?? "");
  if (sip === null || hostPort === null || parameters === null || headers === null || sip[2] === "") return null;
  const scheme = (sip[1] as string).toLowerCase() as SipUri["scheme"];
  return { scheme, user: sip[2] ?? null, password: sip[3] ?? null, ...hostPort, parameters, headers };
}

/** Parses a URI and returns it only if it is a sip or sips URI. */
export function parseSipUri(text: string): SipUri | null {
  const uri = parseUri(text);
  return uri === null || uri.scheme === "tel" ? null : uri;
}

export function writeUri(uri: Uri): string {
  let parameters = "";
  for (const [name, value] of uri.parameters) parameters += value === null ? `;${name}` : `;${name}=${value}`;
  if (uri.scheme === "tel") return `tel:${uri.number}${parameters}`;
  const password = uri.password === null ? "" : `:${uri.password}`;
  const userInfo = uri.user === null ? "" : `${uri.user}${password}@`;
  const headers = [...uri.headers].map(([name, value]) => `${name}=${value}`).join("&");
  return `${uri.scheme}:${userInfo}${writeHostPort(uri)}${parameters}${headers === "" ? "" : `?${headers}`}`;
}

/** Whether two URIs are equivalent (RFC 3261 §19.1.4, RFC 3966 §5). URIs that cannot be parsed match only if identical. */
export function sameUri(one: string, other: string): boolean {
  const [a, b] = [parseUri(one), parseUri(other)];
  if (a === null || b === null) return one === other;
  if (a.scheme === "tel" || b.scheme === "tel") return a.scheme === "tel" && b.scheme === "tel" && sameTel(a, b);
  return (
    a.scheme === b.scheme &&
    normalEscapes(a.user) === normalEscapes(b.user) &&
    normalEscapes(a.password) === normalEscapes(b.password) &&
    a.host.toLowerCase() === b.host.toLowerCase() &&
    a.port === b.port &&
    sameParameters(a.parameters, b.parameters) &&
    sameEntries(a.headers, b.headers)
  );
}

/** The dialled or calling part: the user of a sip URI, or a tel URI's number, without parameters. Empty if there is none. */
export function userOf(text: string): string {
  const uri = parseUri(text);
  if (uri === null) return "";
  return decodeEscapes((uri.scheme === "tel" ? uri.number : (uri.user ?? "")).replace(/;.*$/s, ""));
}

/** Escapes a text for the user part (RFC 3261 §25.1). */
export function escapeUser(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/%(?:26|3D|2B|24|2C|3B|3F|2F)/g, decodeURIComponent);
}

export function splitHostPort(text: string): { host: string; port: number | null } | null {
  const match = HOST_PORT.exec(text);
  if (match === null) return null;
  const port = match[3] === undefined ? null : Number(match[3]);
  if (port !== null && (port < 1 || port > 65_535)) return null;
  return { host: (match[1] ?? match[2]) as string, port };
}

export function writeHostPort({ host, port }: { readonly host: string; readonly port: number | null }): string {
  return `${host.includes(":") ? `[${host}]` : host}${port === null ? "" : `:${port}`}`;
}

function parseUriParameters(text: string): Parameters | null {
  const parameters = new Map<string, string | null>();
  const elements = text.split(";", MAX_PARAMETERS + 2).slice(1);
  if (elements.length > MAX_PARAMETERS) return null;
  for (const element of elements) {
    const [name, value] = splitOnce(element, "=");
    if (name === "") return null;
    if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), value);
  }
  return parameters;
}

function parseHeaders(text: string): Map<string, string> | null {
  const elements = text === "" ? [] : text.split("&", MAX_PARAMETERS + 1);
  if (elements.length > MAX_PARAMETERS) return null;
  return new Map(elements.map((element) => splitOnce(element, "=")).map(([name, value]) => [name.toLowerCase(), value ?? ""]));
}

function splitOnce(text: string, separator: string): [string, string | null] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}

function sameTel(a: TelUri, b: TelUri): boolean {
  const digits = (number: string): string => number.replace(/[-.()]/g, "").toLowerCase();
  return digits(a.number) === digits(b.number) && sameEntries(a.parameters, b.parameters);
}

function sameParameters(a: Parameters, b: Parameters): boolean {
  if (COMPARED_PARAMETERS.some((name) => a.has(name) !== b.has(name))) return false;
  return [...a].every(([name, value]) => !b.has(name) || folded(value) === folded(b.get(name) ?? null));
}

function sameEntries(a: ReadonlyMap<string, string | null>, b: ReadonlyMap<string, string | null>): boolean {
  return a.size === b.size && [...a].every(([name, value]) => b.has(name) && folded(value) === folded(b.get(name) ?? null));
}

function folded(value: string | null): string | null {
  return normalEscapes(value)?.toLowerCase() ?? null;
}

/** Decodes escapes of characters that need none. */
function normalEscapes(text: string | null): string | null {
  return (
    text?.replace(/%([0-9a-f]{2})/gi, (escape, digits: string) => {
      const character = String.fromCharCode(Number.parseInt(digits, 16));
      return character > " " && character < "\u007F" && !RESERVED.has(character) && character !== "%"
        ? character
        : escape.toUpperCase();
    }) ?? null
  );
}

/** Bytes that are not UTF-8 stay escaped. */
function decodeEscapes(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}
