import { googleReturnPaths, mailLinkPaths } from "@farline/contract/constants.ts";
import { deviceStamp, isRecent } from "../time/clock.ts";
import { readTab, writeTab } from "../browser/storage.ts";

/** Storage key of the page requested before sign-in. It is kept in the tab, so that no link can set it. */
const KEY = "return-path";
/** A later sign-in has another purpose. */
const MAX_AGE_MS = 10 * 60_000;

/** Return pages of payment providers, whose content is outdated after another sign-in. */
const PROVIDER_RETURNS = ["/billing/success", "/billing/cancel", googleReturnPaths.link];

interface Wanted {
  readonly path: string;
  /** The customer whose session ended on that page; null for a visitor. */
  readonly customerId: string | null;
  readonly at: number;
}

/** Stores the page that sign-in interrupts. @param customerId the customer whose session ended there */
export function keepReturnPath(path: string, customerId: string | null): void {
  const wanted: Wanted = { path, customerId, at: deviceStamp() };
  writeTab(KEY, isProviderReturn(path) ? null : JSON.stringify(wanted));
}

export function forgetReturnPath(): void {
  writeTab(KEY, null);
}

/** The page that `customerId` requested before signing in; null if there is none, or it is another customer's. */
export function readReturnPath(customerId: string | null): string | null {
  const wanted = read();
  if (wanted === null || !isRecent(wanted.at, MAX_AGE_MS)) return null;
  if (wanted.customerId !== null && wanted.customerId !== customerId) return null;
  const path = ownPath(wanted.path);
  return path === null || isProviderReturn(path) ? null : path;
}

/** Whether the visitor came by somebody's link: an invitation, or a request for credit. */
export function isInvited(): boolean {
  const path = readReturnPath(null);
  if (path === null) return false;
  const { pathname } = new URL(path, window.location.origin);
  return pathname === mailLinkPaths.family || pathname === mailLinkPaths.creditRequest;
}

/** Whether the router would open such a page: it ignores case, trailing slashes and encoding. */
function isProviderReturn(path: string): boolean {
  const own = ownPath(path);
  if (own === null) return false;
  const { pathname } = new URL(own, window.location.origin);
  const plain = decode(pathname).toLowerCase().replace(/\/+$/, "");
  return PROVIDER_RETURNS.includes(plain);
}

function decode(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** The path as the browser resolves it; null when it leaves this site. */
export function ownPath(address: string): string | null {
  try {
    const { origin, pathname, search } = new URL(address, window.location.origin);
    return origin === window.location.origin && !pathname.startsWith("//") ? pathname + search : null;
  } catch {
    return null;
  }
}

function read(): Wanted | null {
  try {
    const value = JSON.parse(readTab(KEY) ?? "null") as Partial<Wanted> | null;
    if (typeof value?.path !== "string" || typeof value.at !== "number") return null;
    return { path: value.path, customerId: value.customerId ?? null, at: value.at };
  } catch {
    return null;
  }
}
