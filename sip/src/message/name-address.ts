import type { NameAddress, Parameters } from "./message.ts";
import { looseParameters, parseParameters, writeParameters } from "./parameters.ts";
import { hasControl, quote, quotedEnd, unquote } from "./quoting.ts";

const ABSOLUTE_URI = /^[a-z][a-z0-9+.-]*:[^\s<>"]+$/i;

/**
 * Parses `"Name" <uri>;parameters`, or `uri;parameters` without brackets, where the parameters belong to the header (RFC 3261
 * §20.10). Accepts unquoted display names of any characters. Null if malformed.
 */
export function parseNameAddress(value: string): NameAddress | null {
  const text = value.trim();
  const displayEnd = text.startsWith('"') ? quotedEnd(text, 0) : 0;
  const open = text.indexOf("<", displayEnd);
  if (open === -1) return displayEnd === 0 ? parseBare(text) : null;
  const close = text.indexOf(">", open);
  const display = text.slice(0, open).trim();
  const name = display.startsWith('"') ? unquote(display) : display;
  if (close === -1 || name === null || (displayEnd === 0 && name.includes('"'))) return null;
  return build(name, text.slice(open + 1, close), text.slice(close + 1).trim());
}

/** What a From or To needs although it is malformed: the last URI in brackets, and the parameters behind it that can be read. */
export function looseNameAddress(value: string): NameAddress | null {
  const [, uri = "", rest = ""] = /<([^<>]{1,2048})>([^<>]*)$/.exec(value) ?? [];
  const parameters = looseParameters(rest);
  return uri === "" || hasControl(uri) ? null : { display: "", uri: uri.trim(), parameters };
}

export function writeNameAddress({ display, uri, parameters }: NameAddress): string {
  return `${display === "" ? "" : `${quote(display)} `}<${uri}>${writeParameters(parameters)}`;
}

/** The `tag` of From or To; null if it has none, as in a request outside a dialog or from a peer of RFC 2543. */
export function tagOf({ parameters }: NameAddress): string | null {
  return parameters.get("tag") ?? null;
}

export function withParameter(address: NameAddress, name: string, value: string | null): NameAddress {
  const parameters: Parameters = new Map(address.parameters).set(name, value);
  return { ...address, parameters };
}

function parseBare(text: string): NameAddress | null {
  const semicolon = text.indexOf(";");
  const end = semicolon === -1 ? text.length : semicolon;
  return build("", text.slice(0, end).trimEnd(), text.slice(end));
}

function build(display: string, uri: string, rest: string): NameAddress | null {
  const parameters = parseParameters(rest);
  return parameters !== null && ABSOLUTE_URI.test(uri) ? { display, uri, parameters } : null;
}
