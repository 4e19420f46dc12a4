import type { SessionExpires } from "./session-expires.ts";

/** A refresh that failed is repeated until the session expires. */
const REFRESH_RETRY_MS = 10_000;
/** After 491 the owner of the Call-ID waits 2.1 to 4 s (RFC 3261 §14.1). It is ours, because we make all calls. */
const GLARE_MS = { from: 2_100, to: 4_000 };
/** How long before the end the side that waits for a refresh gives up (RFC 4028 §10). */
const MAX_MARGIN_MS = 32_000;

/** A session timer (RFC 4028). Times are milliseconds of any monotonic clock; Infinity: never. */
export interface SessionTimer {
  /** Null: none was agreed. */
  readonly agreed: { readonly seconds: number; readonly byUs: boolean } | null;
  readonly refreshAt: number;
  readonly expiresAt: number;
}

export const NO_TIMER: SessionTimer = { agreed: null, refreshAt: Infinity, expiresAt: Infinity };

/** Our request was accepted with these terms; null: no timer. Without a refresher it is us (RFC 4028 §7.2). */
export function timerOfOurs(terms: SessionExpires | null, now: number): SessionTimer {
  return terms === null ? NO_TIMER : start({ seconds: terms.seconds, byUs: terms.refresher !== "uas" }, now);
}

/**
 * We accept a request of the peer, which refreshes the session. Without terms the agreed ones stay.
 * @param isTimed whether the peer supports timers; if not, the terms are a proxy's, and we refresh (RFC 4028 §9 table 2)
 */
export function timerOfTheirs(timer: SessionTimer, terms: SessionExpires | null, isTimed: boolean, now: number): SessionTimer {
  const agreed = terms === null ? timer.agreed : { seconds: terms.seconds, byUs: terms.refresher === "uas" };
  return agreed === null ? NO_TIMER : start({ ...agreed, byUs: agreed.byUs || !isTimed }, now);
}

/** What our 2xx to a request of the peer says: in its transaction we are the UAS. */
export function termsForTheirs({ agreed }: SessionTimer): SessionExpires | null {
  return agreed === null ? null : { seconds: agreed.seconds, refresher: agreed.byUs ? "uas" : "uac" };
}

/** What is due: a refresh by us, or the end of the session. */
export function dueOf(timer: SessionTimer, now: number): "refresh" | "expired" | null {
  if (now >= timer.expiresAt) return "expired";
  return now >= timer.refreshAt ? "refresh" : null;
}

/** Our refresh was sent: the answer, or `refreshFailed`, sets the next one. */
export function refreshSent(timer: SessionTimer): SessionTimer {
  return { ...timer, refreshAt: Infinity };
}

/**
 * Our refresh was refused or not answered, other than by 408 or 481, which end the dialog.
 * @param glare whether the peer was sending a request too (491)
 * @param random in [0, 1)
 */
export function refreshFailed(timer: SessionTimer, glare: boolean, random: number, now: number): SessionTimer {
  const waitMs = glare ? GLARE_MS.from + random * (GLARE_MS.to - GLARE_MS.from) : REFRESH_RETRY_MS;
  return { ...timer, refreshAt: now + waitMs };
}

/** The refresher refreshes at half time (RFC 4028 §7.2, §10). */
function start(agreed: { readonly seconds: number; readonly byUs: boolean }, now: number): SessionTimer {
  const lengthMs = agreed.seconds * 1_000;
  return {
    agreed,
    refreshAt: agreed.byUs ? now + lengthMs / 2 : Infinity,
    expiresAt: now + lengthMs - Math.min(MAX_MARGIN_MS, lengthMs / 3),
  };
}
