import type { SessionEnd } from "@farline/contract/errors.ts";
import { useSyncExternalStore } from "react";
import { createListeners } from "../browser/listeners.ts";
import { onPageBack } from "../browser/page-life.ts";
import { readSetting, setPageCookie, writeSetting } from "../browser/storage.ts";

/** Storage key of the session token. Storage is shared, so every tab of this browser has one session. */
const TOKEN_KEY = "token";
/** Storage key of whether a call ended with the session. */
const CALL_END_KEY = "session-end-call";
/** A call that ends this long before its page learns of the session's end has ended with it: the service ends both together. */
const CALL_ENDS_WITHIN_MS = 10_000;
/** Storage key of why the session ended: the other tabs show it too, and a reload. */
const END_KEY = "session-end";
/** Storage key of the lists last seen in this session (`service/last-seen.ts`), removed with it for all tabs. */
export const LAST_SEEN_KEY = "last-seen";

const { notify, subscribe } = createListeners();
let token = readSetting(TOKEN_KEY);
let callLive = false;
let callEndedAtMs = -Infinity;
/** What happened to the session during a live call; applied when the call ends. */
let refused: SessionEnd | "unknown" | null = null;
let movedElsewhere = false;

/** False where the browser stores nothing (private windows, blocked site data, a full disk): the session then lasts as long as the page. */
function write(next: string | null): boolean {
  writeSetting(LAST_SEEN_KEY, null);
  const isStored = writeSetting(TOKEN_KEY, next);
  setPageCookie("signed-in", next !== null && isStored ? "1" : null);
  return isStored;
}

function change(next: string | null): void {
  refused = null;
  movedElsewhere = false;
  if (next === token) return;
  token = next;
  notify();
}

/** The bearer token of the signed-in customer, or null for a visitor. */
export function getToken(): string | null {
  return token;
}

/** Signs this browser in, including all its tabs. False if only this page can be signed in, because the browser stores nothing. */
export function startSession(next: string): boolean {
  forgetSessionEnd();
  const isStored = write(next);
  change(next);
  return isStored;
}

/**
 * Signs this browser out at once, including all its tabs. If another tab has started a session meanwhile, this tab adopts
 * it instead of ending it.
 */
export function dropSession(): void {
  const stored = readSetting(TOKEN_KEY);
  if (stored !== null && stored !== token) return change(stored);
  write(null);
  change(null);
}

/** Why this browser was signed out without the user's action; null once shown. A later release may have stored it. */
export function readSessionEnd(): SessionEnd | "unknown" | null {
  return readSetting(END_KEY) as SessionEnd | "unknown" | null;
}

/** Whether a call of this browser ended with its session. */
export function hasCallEnded(): boolean {
  return readSetting(CALL_END_KEY) !== null;
}

export function forgetSessionEnd(): void {
  writeSetting(CALL_END_KEY, null);
  writeSetting(END_KEY, null);
}

/**
 * The service rejected `usedToken`, with a reason if known. Drops the session, after the live call if there is one: a rejected
 * token must not cut a call off. A late response to an older token changes nothing.
 */
export function endSession(usedToken: string | null, why: SessionEnd | undefined): void {
  if (usedToken !== token || token === null) return;
  writeSetting(LAST_SEEN_KEY, null);
  if (callLive) refused = why ?? "unknown";
  else dropRefused(why ?? "unknown");
}

function dropRefused(why: SessionEnd | "unknown"): void {
  const withCall = why !== "expired" && performance.now() - callEndedAtMs < CALL_ENDS_WITHIN_MS;
  if (withCall) writeSetting(CALL_END_KEY, "1");
  // Before the token goes: the other tabs read it when they notice that.
  writeSetting(END_KEY, why);
  dropSession();
  // Another tab has signed in meanwhile.
  if (token !== null) forgetSessionEnd();
}

/** Sets whether a call is live. When it ends, session changes that happened during the call are applied. */
export function setCallLive(live: boolean): void {
  if (live === callLive) return;
  callLive = live;
  if (!live) callEndedAtMs = performance.now();
  const before = token;
  if (!live && refused !== null) dropRefused(refused);
  else if (!live && movedElsewhere) change(readSetting(TOKEN_KEY));
  if (token === before) notify();
}

export function isCallLive(): boolean {
  return callLive;
}

/** Calls `listener` after every change of the token or of `isCallLive`. Returns the unsubscribe function. */
export const onSessionChange = subscribe;

let signingUp = false;

/** Keeps a customer who has just signed up on the page for its last step. */
export function setSigningUp(now: boolean): void {
  signingUp = now;
  notify();
}

export function useSigningUp(): boolean {
  const read = (): boolean => signingUp;
  return useSyncExternalStore(subscribe, read, read);
}

export function useToken(): string | null {
  return useSyncExternalStore(subscribe, getToken, getToken);
}

export function useCallLive(): boolean {
  return useSyncExternalStore(subscribe, isCallLive, isCallLive);
}

/**
 * Follows sign-in and sign-out in other tabs, after a live call. Browsers tell neither kept nor frozen pages of them, Safari not even
 * hidden ones, so these look when they go on.
 */
export function followOtherTabs(): void {
  // The cookie can be missing while the token exists, or the reverse.
  setPageCookie("signed-in", token === null ? null : "1");
  const follow = (): void => {
    if (callLive) movedElsewhere = true;
    else change(readSetting(TOKEN_KEY));
  };
  window.addEventListener("storage", ({ key }) => {
    // Null when a tab clears the whole storage.
    if (key === TOKEN_KEY || key === null) follow();
  });
  onPageBack(follow);
  document.addEventListener("visibilitychange", follow);
}
