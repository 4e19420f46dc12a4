import type { Language } from "@farline/contract/languages.ts";
import type { PageReader } from "@farline/contract/public-pages.ts";
import type { FastifyRequest } from "fastify";
import { preferredLanguage } from "../platform/http/preferred-language.ts";

/**
 * The reader of a page. Their choices, and whether they are signed in, are in cookies that the web app
 * sets for this (they grant nothing; only the token does), so that server-rendered pages are right from the first byte.
 * Other header content is ignored.
 */
export function pageReader(request: FastifyRequest, spoken: readonly Language[]): PageReader {
  const cookies = request.headers.cookie ?? "";
  const theme = cookieOf(cookies, "theme");
  return {
    language: pageLanguage(cookieOf(cookies, "language"), request.headers["accept-language"], spoken),
    theme: theme === "light" || theme === "dark" ? theme : null,
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
