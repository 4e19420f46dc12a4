import type { Rates } from "../rates/rates.ts";
import { countriesBySlug } from "./published-rates.ts";

type Deck = NonNullable<ReturnType<Rates["published"]>>;

const PAGES = ["/", "/rates", "/about", "/contact", "/emergency-calls", "/terms", "/privacy", "/status"];

/** Search engines may read everything but the API. */
export function robots(origin: string): string {
  return `User-agent: *\nDisallow: /api/\n\nSitemap: ${origin}/sitemap.xml\n`;
}

/** Every page of the public site, with the date of the rates on those that show them (https://www.sitemaps.org/protocol.html). */
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
