import { useSyncExternalStore } from "react";
import { tellPages } from "./page-cookie.ts";

/** Where the session token lies, so that every tab of this browser shares one session. */
const TOKEN_KEY = "token";

const listeners = new Set<() => void>();
let token = read();
let callLive = false;
/** What has happened to the session while a call was live: it is looked at when the call ends. */
let refused = false;
let movedElsewhere = false;

/** Survives without storage (private windows, blocked site data): then the session lives as long as the page. */
function read(): string | null {
  try {
    return localStorage.getItem(TOKEN_KEY);
  } catch {
    return null;
  }
}

function write(next: string | null): void {
  try {
    if (next === null) localStorage.removeItem(TOKEN_KEY);
    else localStorage.setItem(TOKEN_KEY, next);
  } catch {
    // Storage is blocked: `token` in memory is all there is.
  }
  tellPages("signed-in", next === null ? null : "1");
}

function change(next: string | null): void {
  refused = false;
  movedElsewhere = false;
  if (next === token) return;
  token = next;
  tell();
}

function tell(): void {
  for (const listener of listeners) listener();
}

/** The bearer token of the signed-in customer, or null for a visitor. */
export function getToken(): string | null {
  return token;
}

/** Signs this browser in, all its tabs included. */
export function startSession(next: string): void {
  write(next);
  change(next);
}

/**
 * Signs this browser out at once, all its tabs included. A session that another tab has begun meanwhile is not ours to end:
 * this tab goes on with it.
 */
export function dropSession(): void {
  const stored = read();
  if (stored !== null && stored !== token) return change(stored);
  write(null);
  change(null);
}

/**
 * The service said that `usedToken` is no longer good. Drops the session, but waits while a call is live: nobody is
 * thrown out of a call. A late answer to an older token changes nothing.
 */
export function endSession(usedToken: string | null): void {
  if (usedToken !== token || token === null) return;
  if (callLive) refused = true;
  else dropSession();
}

/** Says whether a call is live. When the last one ends, what happened to the session meanwhile is made good. */
export function setCallLive(live: boolean): void {
  if (live === callLive) return;
  callLive = live;
  const before = token;
  if (!live && refused) dropSession();
  else if (!live && movedElsewhere) change(read());
  if (token === before) tell();
}

export function isCallLive(): boolean {
  return callLive;
}

/** Calls `listener` after every change of the token or of the call's liveness. Returns the way to stop. */
export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useToken(): string | null {
  return useSyncExternalStore(onSessionChange, getToken);
}

export function useCallLive(): boolean {
  return useSyncExternalStore(onSessionChange, isCallLive);
}

/** Follows sign-in and sign-out in other tabs, after a live call. `key` is null when a tab clears the whole storage. */
export function followOtherTabs(): void {
  // The cookie may have gone without the token, or the other way round.
  tellPages("signed-in", token === null ? null : "1");
  window.addEventListener("storage", (event) => {
    if (event.key !== TOKEN_KEY && event.key !== null) return;
    if (callLive) movedElsewhere = true;
    else change(read());
  });
}
