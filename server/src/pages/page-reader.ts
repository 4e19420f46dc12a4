import type { Language } from "@farline/contract/languages.ts";
import type { PageReader } from "@farline/contract/public-pages.ts";
import type { FastifyRequest } from "fastify";
import { preferredLanguage } from "../platform/http/say.ts";

/**
 * The language, theme, text size and sign-in state for rendering a page. They are in cookies that the web app sets for this purpose, so
 * that server-rendered pages are right from the first byte. The cookies grant nothing. Unknown values are ignored.
 */
export function pageReader(request: FastifyRequest, spoken: readonly Language[]): PageReader {
  const cookies = request.headers.cookie ?? "";
  const chosen = <Value extends string>(name: string, values: readonly Value[]): Value | null =>
    values.find((value) => value === cookieOf(cookies, name)) ?? null;
  return {
    language: pageLanguage(cookieOf(cookies, "language"), request.headers["accept-language"], spoken),
    theme: chosen("theme", ["light", "dark"]),
    textSize: chosen("text-size", ["large", "largest"]),
    signedIn: cookieOf(cookies, "signed-in") === "1",
  };
}

/** The language the reader chose, else the one the browser prefers. */
function pageLanguage(choice: string, header: string | undefined, spoken: readonly Language[]): Language {
  return spoken.find((language) => language === choice) ?? preferredLanguage(header, spoken);
}

function cookieOf(cookies: string, name: string): string {
  const pair = cookies.split(";").find((cookie) => cookie.trim().startsWith(`${name}=`));
  return pair?.trim().slice(name.length + 1) ?? "";
}
