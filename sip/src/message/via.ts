import type { Via } from "./message.ts";
import { parseParameters, writeParameters } from "./parameters.ts";
import { splitHostPort, writeHostPort } from "./uri.ts";

const SENT_PROTOCOL = /^SIP[ \t]*\/[ \t]*\d{1,9}\.\d{1,9}[ \t]*\/[ \t]*([A-Za-z0-9\-.!%*_+`'~]+)[ \t]+(.+)$/i;

/** Parses one Via value (RFC 3261 §20.42), with white space wherever the grammar allows it, of any version of SIP. Null if malformed. */
export function parseVia(value: string): Via | null {
  const semicolon = value.indexOf(";");
  const end = semicolon === -1 ? value.length : semicolon;
  const match = SENT_PROTOCOL.exec(value.slice(0, end).trim());
  const sentBy = splitHostPort(joinAtColon(match?.[2] ?? ""));
  const parameters = parseParameters(value.slice(end));
  if (match === null || sentBy === null || parameters === null) return null;
  return { transport: (match[1] as string).toUpperCase(), ...sentBy, parameters };
}

/** Removes the white space that may stand around the colon before a port. */
function joinAtColon(sentBy: string): string {
  const join = (start: string, next: string): string =>
    `${start}${start.endsWith(":") || next.startsWith(":") ? "" : " "}${next}`;
  return sentBy.split(/[ \t]+/).reduce(join);
}

export function writeVia(via: Via): string {
  return `SIP/2.0/${via.transport} ${writeHostPort(via)}${writeParameters(via.parameters)}`;
}

/** Begins the branches of all elements since RFC 3261 (§8.1.1.7). */
export const MAGIC_COOKIE = "z9hG4bK";

/** Our Via on a new request; the response returns to the port that it came from (RFC 3581). @param random unique for each request */
export function newVia(sentBy: Omit<Via, "parameters">, random: string): Via {
  const parameters = new Map([
    ["branch", `${MAGIC_COOKIE}${random}`],
    ["rport", null],
  ]);
  return { ...sentBy, parameters };
}
