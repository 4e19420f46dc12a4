import { parseParameters, writeParameters } from "./parameters.ts";
import { isToken } from "./quoting.ts";

/** One value of a Reason header (RFC 3326): `Q.850;cause=16;text="Normal call clearing"`. */
export interface Reason {
  /** `SIP`, `Q.850` or another registered protocol, as written. */
  readonly protocol: string;
  readonly cause: number | null;
  readonly text: string | null;
}

/** Seven bits (ITU-T Q.850 §2.2.5). */
const MAX_Q850_CAUSE = 127;
const MAX_CAUSE_DIGITS = 3;

/** Parses the values of all Reason headers, which the parser has split at commas. Drops malformed ones. */
export function parseReasons(values: readonly string[]): Reason[] {
  return values.map(parseReason).filter((reason) => reason !== null);
}

export function writeReason({ protocol, cause, text }: Reason): string {
  const parameters = new Map<string, string>();
  if (cause !== null) parameters.set("cause", String(cause));
  return `${protocol}${writeParameters(parameters)}${text === null ? "" : `;text="${text.replace(/["\\]/g, "\\$&")}"`}`;
}

/** The Q.850 cause; null without a valid one. */
export function q850Cause(reasons: readonly Reason[]): number | null {
  const stated = reasons.find(({ protocol, cause }) => protocol.toUpperCase() === "Q.850" && cause !== null);
  return stated?.cause ?? null;
}

function parseReason(value: string): Reason | null {
  const semicolon = value.indexOf(";");
  const end = semicolon === -1 ? value.length : semicolon;
  const protocol = value.slice(0, end).trim();
  const parameters = parseParameters(value.slice(end));
  if (!isToken(protocol) || parameters === null) return null;
  return { protocol, cause: parseCause(protocol, parameters.get("cause") ?? ""), text: parameters.get("text") ?? null };
}

function parseCause(protocol: string, digits: string): number | null {
  if (!/^\d+$/.test(digits) || digits.length > MAX_CAUSE_DIGITS) return null;
  const cause = Number(digits);
  return protocol.toUpperCase() === "Q.850" && cause > MAX_Q850_CAUSE ? null : cause;
}
