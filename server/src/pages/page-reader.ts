import type { Language } from "@farline/contract/languages.ts";
import type { PageReader } from "@farline/contract/public-pages.ts";
import type { FastifyRequest } from "fastify";

/** Browsers send a handful; longer lists are ignored. */
const MOST_WISHES = 10;
const LONGEST_HEADER = 500;

/**
 * The reader of a page. Their choices, and whether they are signed in, are in cookies that the web app
 * sets for this (they grant nothing; only the token does), so that server-rendered pages are right from the first byte.
 * Other header content is ignored.
 */
export function pageReader(request: FastifyRequest, spoken: readonly Language[]): PageReader {
  const cookies = request.headers.cookie ?? "";
  const theme = cookieOf(cookies, "theme");
  return {
    language: pageLanguage(cookieOf(cookies, "language"), request.headers["accept-language"] ?? "", spoken),
    theme: theme === "light" || theme === "dark" ? theme : null,
    signedIn: cookieOf(cookies, "signed-in") === "1",
  };
}

/** The language the reader chose, else the first of the browser's wishes that is spoken, else English. */
function pageLanguage(choice: string, wishHeader: string, spoken: readonly Language[]): Language {
  const find = (tag: string) => spoken.find((language) => language === tag.trim().split("-")[0]?.toLowerCase());
  const chosen = find(choice);
  if (chosen !== undefined) return chosen;
  if (wishHeader.length > LONGEST_HEADER) return "en";
  const wishes = wishHeader.split(",", MOST_WISHES).map((wish, place) => {
    const [tag = "", weight] = wish.split(";q=");
    return { language: find(tag), weight: weight === undefined ? 1 : Number(weight) || 0, place };
  });
  const [best] = wishes
    .filter(({ language, weight }) => language !== undefined && weight > 0)
    .toSorted((a, b) => b.weight - a.weight || a.place - b.place);
  return best?.language ?? "en";
}

function cookieOf(cookies: string, name: string): string {
  const pair = cookies.split(";").find((cookie) => cookie.trim().startsWith(`${name}=`));
  return pair?.trim().slice(name.length + 1) ?? "";
}
