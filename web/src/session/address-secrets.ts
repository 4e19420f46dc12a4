import { googleReturnPaths, mailLinkPaths } from "@farline/contract/constants.ts";
import type { GoogleCallbackRequest } from "@farline/contract/google.ts";
import { useSyncExternalStore } from "react";

const linkPaths: ReadonlySet<string> = new Set(Object.values(mailLinkPaths));
const googlePaths: ReadonlySet<string> = new Set(Object.values(googleReturnPaths));
const listeners = new Set<() => void>();
const linkTokens = new Map<string, string>();
let googleAnswer: GoogleCallbackRequest = {};

/**
 * Removes secrets from the address: a mail link's token and Google's code. Call it before anything else reads the address,
 * so that they reach neither the history nor a log, however long the page loads.
 */
export function takeSecretsFromAddress(): void {
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
    if (token !== null && token !== "") linkTokens.set(pathname, token);
  } else return;
  window.history.replaceState(window.history.state, "", pathname);
  for (const listener of listeners) listener();
}

/** The token of the mail link that led to `path`; null when the page was opened without one. */
export function useLinkToken(path: string): string | null {
  return useSyncExternalStore(subscribe, () => linkTokens.get(path) ?? null);
}

/** Google's response; empty when the page was opened another way. */
export function getGoogleAnswer(): GoogleCallbackRequest {
  return googleAnswer;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
