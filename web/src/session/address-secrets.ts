import { googleReturnPaths, mailLinkPaths } from "@farline/contract/constants.ts";
import type { GoogleCallbackRequest } from "@farline/contract/google.ts";
import { useSyncExternalStore } from "react";
import { createListeners } from "../browser/listeners.ts";
import { deviceStamp, isRecent } from "../time/clock.ts";
import { readTab, writeTab } from "../browser/storage.ts";

const linkPaths: ReadonlySet<string> = new Set(Object.values(mailLinkPaths));
const googlePaths: ReadonlySet<string> = new Set(Object.values(googleReturnPaths));
/**
 * The links whose token outlives a reload and a visit to another site, with its key in the tab. The others stay in memory: they give access
 * to an account or, for a copy of the customer's data, stop a thief of the session, which this browser stores too.
 */
const STORED: ReadonlyMap<string, string> = new Map([
  [mailLinkPaths.family, "family-invitation"],
  [mailLinkPaths.creditRequest, "credit-request"],
]);
/** Long enough to sign up and to confirm the address by mail. */
const STORED_MS = 2 * 60 * 60_000;

const { notify, subscribe } = createListeners();
const linkTokens = new Map<string, string>();
let googleAnswer: GoogleCallbackRequest = {};

/**
 * Removes secrets from the address: a mail link's token and Google's code. Call it before anything else reads the address,
 * so that they reach neither the history nor a log, however long the page loads.
 */
export function takeSecretsFromAddress(): void {
  for (const [path, key] of STORED) {
    const stored = readStored(key);
    if (stored !== null) linkTokens.set(path, stored);
  }
  take();
  // Pasting a link over an open page with the same path does not reload it.
  window.addEventListener("popstate", take);
}

function take(): void {
  const { pathname, search, hash } = window.location;
  if (googlePaths.has(pathname) && search !== "") {
    const query = new URLSearchParams(search);
    const value = (name: string) => query.get(name) || undefined;
    googleAnswer = { code: value("code"), state: value("state"), iss: value("iss"), error: value("error") };
  } else if (linkPaths.has(pathname) && hash !== "") {
    const token = new URLSearchParams(hash.slice(1)).get("t");
    if (token !== null && token !== "") keep(pathname, token);
  } else return;
  window.history.replaceState(window.history.state, "", pathname);
  notify();
}

function keep(path: string, token: string): void {
  linkTokens.set(path, token);
  const key = STORED.get(path);
  if (key !== undefined) writeTab(key, JSON.stringify({ token, at: deviceStamp() }));
}

/** Forgets stored links: an invitation was accepted, or the next user of this tab may be another person. */
export function forgetInvitation(): void {
  for (const [path, key] of STORED) {
    linkTokens.delete(path);
    writeTab(key, null);
  }
  notify();
}

/** The token of the mail link that led to `path`; null when the page was opened without one. */
export function useLinkToken(path: string): string | null {
  return useSyncExternalStore(subscribe, () => linkTokens.get(path) ?? null);
}

/** Google's response; empty when the page was opened another way. */
export function getGoogleAnswer(): GoogleCallbackRequest {
  return googleAnswer;
}

/** Stored in the tab, so that it goes with it; null when it is too old, which a tab opened again may be. */
function readStored(key: string): string | null {
  try {
    const { token, at } = JSON.parse(readTab(key) ?? "{}") as Record<string, unknown>;
    return typeof token === "string" && isRecent(at, STORED_MS) ? token : null;
  } catch {
    return null;
  }
}
