import type { Parameters } from "./message.ts";
import { isToken, quote, splitOutside, unquote } from "./quoting.ts";

/** A value that needs no quotes: a token, a host or an IPv6 address (RFC 3261 §25.1 gen-value). */
const BARE = /^[A-Za-z0-9\-.!%*_+`'~[\]:]+$/;

/** Parses `;name=value;name`. Values are unquoted; of a repeated parameter the first counts. Null if malformed. */
export function parseParameters(text: string): Parameters | null {
  const parsed = text === "" || text.startsWith(";") ? splitOutside(text, ";").map(parseElement) : [null];
  return parsed.includes(null) ? null : firstOfEach(parsed);
}

/** Those that are well formed. */
export function looseParameters(text: string): Parameters {
  return firstOfEach(splitOutside(text, ";").map(parseElement));
}

function parseElement(element: string): readonly [string, string | null] | null {
  const equals = element.indexOf("=");
  const name = (equals === -1 ? element : element.slice(0, equals)).trimEnd().toLowerCase();
  const value = equals === -1 ? null : parseValue(element.slice(equals + 1).trimStart());
  return !isToken(name) || value === undefined ? null : [name, value];
}

function firstOfEach(elements: readonly (readonly [string, string | null] | null)[]): Parameters {
  const parameters = new Map<string, string | null>();
  for (const element of elements) if (element !== null && !parameters.has(element[0])) parameters.set(...element);
  return parameters;
}

export function writeParameters(parameters: Parameters): string {
  let text = "";
  for (const [name, value] of parameters)
    text += value === null ? `;${name}` : `;${name}=${BARE.test(value) ? value : quote(value)}`;
  return text;
}

function parseValue(text: string): string | undefined {
  if (text.startsWith('"')) return unquote(text) ?? undefined;
  return /[\s"]/.test(text) ? undefined : text;
}
