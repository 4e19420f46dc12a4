import type { CookieName, PAGE_COOKIE_SECONDS } from "@farline/contract/constants.ts";

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
