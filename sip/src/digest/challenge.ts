import { quote, quotedEnd, unquote } from "../message/quoting.ts";

/** A scheme with its parameters: a challenge or credentials (RFC 7235 §2.1). */
interface AuthValue {
  /** Lower-case. */
  readonly scheme: string;
  /** Unquoted values by lower-case name. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Digest parameters that are written without quotes (RFC 7616 §3.3, §3.4). */
const UNQUOTED = new Set(["algorithm", "qop", "nc", "stale"]);
/** qop is a list in a challenge, where it is quoted. */
const UNQUOTED_IN_CHALLENGE = new Set(["algorithm", "stale"]);
const MAX_PARAMETERS = 32;
const SCHEME = /^([A-Za-z0-9\-.!%*_+`'~]+)[ \t]+(?=[^ \t=])/;
const PARAMETER = /^([A-Za-z0-9\-.!%*_+`'~]+)[ \t]*=[ \t]*(.+)$/s;

/**
 * Parses the values of a WWW-Authenticate, Proxy-Authenticate, Authorization or Proxy-Authorization header. One value may hold several
 * challenges, although RFC 3261 §7.3.1 forbids that. Drops malformed parameters.
 */
export function parseAuthValues(values: readonly string[]): AuthValue[] {
  return values.flatMap(parseAuthValue);
}

export function writeChallenge({ scheme, parameters }: AuthValue): string {
  return write(scheme, parameters, UNQUOTED_IN_CHALLENGE);
}

export function writeCredentials({ scheme, parameters }: AuthValue): string {
  return write(scheme, parameters, UNQUOTED);
}

function write(scheme: string, parameters: AuthValue["parameters"], unquoted: ReadonlySet<string>): string {
  const list = [...parameters].map(([name, value]) => `${name}=${unquoted.has(name) ? value : quote(value)}`).join(", ");
  return `${scheme === "digest" ? "Digest" : scheme} ${list}`;
}

function parseAuthValue(text: string): AuthValue[] {
  const found: { scheme: string; parameters: Map<string, string> }[] = [];
  for (const element of splitAtCommas(text)) {
    const scheme = SCHEME.exec(element);
    if (scheme !== null) found.push({ scheme: (scheme[1] as string).toLowerCase(), parameters: new Map() });
    const current = found.at(-1)?.parameters;
    const [, name = "", raw = ""] = PARAMETER.exec(scheme === null ? element : element.slice(scheme[0].length)) ?? [];
    const value = raw.startsWith('"') ? unquote(raw) : raw;
    if (current === undefined || name === "" || value === null || current.has(name.toLowerCase())) continue;
    if (current.size < MAX_PARAMETERS) current.set(name.toLowerCase(), value);
  }
  return found;
}

/** Unlike in other lists, angle brackets are ordinary characters here. */
function splitAtCommas(text: string): string[] {
  const elements: string[] = [];
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    if (text[at] === '"') at = quotedEnd(text, at) - 1;
    else if (at === text.length || text[at] === ",") {
      elements.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return elements;
}
