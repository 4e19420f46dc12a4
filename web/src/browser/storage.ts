import type { CookieName, PAGE_COOKIE_SECONDS } from "@farline/contract/constants.ts";

/** `localStorage` is shared by the browser's tabs, `sessionStorage` belongs to this one. */
type Area = "localStorage" | "sessionStorage";

/** Values that the browser did not store: it blocks storage, or its storage is full. They last as long as the page. */
const unstored = { localStorage: new Map<string, string>(), sessionStorage: new Map<string, string>() };

/** The value stored in this browser under `key`; null if there is none. */
export const readSetting = (key: string): string | null => read("localStorage", key);
/** Stores `value` in this browser; null removes it. False if it lasts only as long as the page. */
export const writeSetting = (key: string, value: string | null): boolean => write("localStorage", key, value);
/** The value stored in this tab under `key`; null if there is none. */
export const readTab = (key: string): string | null => read("sessionStorage", key);
/** Stores `value` in this tab; null removes it. False if it lasts only as long as the page. */
export const writeTab = (key: string, value: string | null): boolean => write("sessionStorage", key, value);

function read(area: Area, key: string): string | null {
  try {
    return unstored[area].get(key) ?? globalThis[area].getItem(key);
  } catch {
    return null;
  }
}

function write(area: Area, key: string, value: string | null): boolean {
  unstored[area].delete(key);
  try {
    if (value === null) globalThis[area].removeItem(key);
    else globalThis[area].setItem(key, value);
    // Of the page's own making (`phone/line/telnyx-sdk.ts`).
    return !("endsWithPage" in globalThis[area]);
  } catch {
    if (value === null) return false;
    // The former value must not come back with the next page: it may be another customer's.
    write(area, key, null);
    unstored[area].set(key, value);
    return false;
  }
}

/** Removes what is stored in this browser and tab under keys that start with `prefix`. */
export function forgetAll(prefix: string): void {
  for (const area of ["localStorage", "sessionStorage"] as const)
    for (const key of [...unstored[area].keys(), ...storedKeys(area)]) if (key.startsWith(prefix)) write(area, key, null);
}

function storedKeys(area: Area): string[] {
  try {
    return Object.keys(globalThis[area]);
  } catch {
    return [];
  }
}

/** State that server-rendered pages need before their first byte. It is not secret, and the service does not trust it. */
type PageCookie = Exclude<CookieName, `__Host-${string}`>;

/** The type keeps it equal, and an import would cost the first page its bytes. */
const COOKIE_SECONDS: typeof PAGE_COOKIE_SECONDS = 31_536_000;

/** Stores a choice for server-rendered pages; null removes it. Without cookies they render as for a visitor. */
export function setPageCookie(name: PageCookie, value: string | null): void {
  if (typeof document === "undefined") return;
  const age = value === null ? 0 : COOKIE_SECONDS;
  // oxlint-disable-next-line unicorn/no-document-cookie -- not every browser has the Cookie Store API
  document.cookie = `${name}=${value ?? ""}; path=/; max-age=${age}; samesite=lax`;
  // Reading blocks until it is stored: the next page, for example after logout, must see it.
  void document.cookie;
}
