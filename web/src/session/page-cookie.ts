/** What the pages that the service writes must know before their first byte. None of it is secret; the service trusts none of it. */
type PageCookie = "language" | "theme" | "signed-in";

const COOKIE_SECONDS = 365 * 24 * 3600;

/** Tells the service's pages a choice; null takes it back. Without cookies those pages open as for a stranger. */
export function tellPages(name: PageCookie, value: string | null): void {
  if (typeof document === "undefined") return;
  const age = value === null ? 0 : COOKIE_SECONDS;
  // oxlint-disable-next-line unicorn/no-document-cookie -- the Cookie Store API is not in every browser
  document.cookie = `${name}=${value ?? ""}; path=/; max-age=${age}; samesite=lax`;
}
