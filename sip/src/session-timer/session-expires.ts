import type { SipMessage } from "../message/message.ts";

/** The protocol's minimum (RFC 4028 §5). */
export const MIN_SESSION_SECONDS = 90;
/** A peer that demands more is not followed. */
const MAX_SESSION_SECONDS = 86_400;

/** Shorter ones that a peer states are taken as this, so that refreshes have time to be answered. */
const MIN_AGREED_SECONDS = 20;

/** Session-Expires: the longest time between two refreshes, and who sends them. */
export interface SessionExpires {
  readonly seconds: number;
  readonly refresher: "uac" | "uas" | null;
}

/**
 * Parses `1800;refresher=uac` (RFC 4028 §4); null if absent or malformed. A peer that states less than the protocol's minimum ends the session
 * all the same unless it is refreshed in time.
 */
export function parseSessionExpires(value: string | undefined): SessionExpires | null {
  const match = /^\s*(\d{1,7})\s*(;.*)?$/.exec(value ?? "");
  if (match === null) return null;
  const seconds = Math.max(Number(match[1]), MIN_AGREED_SECONDS);
  const refresher = /;\s*refresher\s*=\s*(uac|uas)\b/i.exec(match[2] ?? "")?.[1]?.toLowerCase();
  return { seconds, refresher: refresher === "uac" || refresher === "uas" ? refresher : null };
}

export function writeSessionExpires({ seconds, refresher }: SessionExpires): string {
  return `${seconds}${refresher === null ? "" : `;refresher=${refresher}`}`;
}

/** Parses the seconds of Min-SE; null if absent or malformed. */
export function parseMinSe(value: string | undefined): number | null {
  const seconds = /^\s*(\d{1,6})\s*(?:;.*)?$/.exec(value ?? "")?.[1];
  return seconds === undefined ? null : Number(seconds);
}

/**
 * The minimum that a peer's 422 demands (RFC 4028 §7.3); null if it is not above the one that we proposed, or longer than we take.
 * @param value of Min-SE
 */
export function demandedSeconds(value: string | undefined, proposedMinimum: number): number | null {
  const seconds = parseMinSe(value) ?? 0;
  return seconds > proposedMinimum && seconds <= MAX_SESSION_SECONDS ? seconds : null;
}

/** Whether a request of the peer gets 422 with our Min-SE (RFC 4028 §9). Only a peer that supports timers understands it. */
export function isTooShort(value: string | undefined, supportsTimer: boolean, minSeconds: number): boolean {
  const seconds = Number(/^\s*(\d{1,7})/.exec(value ?? "")?.[1] ?? Infinity);
  return supportsTimer && seconds < minSeconds;
}

/** Whether the peer of a request takes part in a session timer: it says so, or names a refresher, which only such peers do. */
export function supportsTimer({ headers }: Pick<SipMessage, "headers">): boolean {
  const supported = (headers.get("supported") ?? []).some((tag) => tag.trim().toLowerCase() === "timer");
  return supported || (parseSessionExpires(headers.get("session-expires")?.[0])?.refresher ?? null) !== null;
}
