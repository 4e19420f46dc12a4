import { DAY_MS } from "@farline/domain/durations.ts";
import { countriesBySlug } from "./published-rates.ts";
import type { Rates } from "../context.ts";

type Deck = NonNullable<ReturnType<Rates["published"]>>;

const PAGES = ["/", "/rates", "/quality", "/about", "/help", "/contact", "/emergency-calls", "/terms", "/privacy", "/status"];

/** Crawlers may read everything except the API. */
export function robots(origin: string): string {
  return `User-agent: *\nDisallow: /api/\n\nSitemap: ${origin}/sitemap.xml\n`;
}

/** Well under the year that RFC 9116 (section 2.5.5) allows. */
const SECURITY_CONTACT_DAYS = 180;

/** Where to report a vulnerability (RFC 9116). Its expiry is relative to now, so that it never goes stale. */
export function securityText(origin: string, supportEmail: string, now: Date): string {
  const expires = new Date(now.getTime() + SECURITY_CONTACT_DAYS * DAY_MS);
  expires.setUTCHours(0, 0, 0, 0);
  return [
    `Contact: mailto:${supportEmail}`,
    `Expires: ${expires.toISOString()}`,
    "Preferred-Languages: en",
    `Canonical: ${origin}/.well-known/security.txt`,
    "",
  ].join("\n");
}

/** All public pages, with the deck's date for those that show rates (https://www.sitemaps.org/protocol.html). */
export function sitemap(origin: string, deck: Deck | null): string {
  const date = deck?.effectiveAt.toISOString().slice(0, 10);
  const dated = deck === null ? [] : [...countriesBySlug(deck).keys()].map((slug) => `/rates/${slug}`);
  const entry = (path: string, lastmod?: string) =>
    `  <url><loc>${origin}${path}</loc>${lastmod === undefined ? "" : `<lastmod>${lastmod}</lastmod>`}</url>`;
  const entries = [
    ...PAGES.map((path) => entry(path, path === "/rates" ? date : undefined)),
    ...dated.map((path) => entry(path, date)),
  ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...entries,
    "</urlset>",
    "",
  ].join("\n");
}
