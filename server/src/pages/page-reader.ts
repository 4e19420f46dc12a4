import type { Language } from "@farline/contract/languages.ts";
import type { PageReader } from "@farline/contract/public-pages.ts";
import type { FastifyRequest } from "fastify";

/** Browsers send a handful; more than this is nobody's wish. */
const MOST_WISHES = 10;
const LONGEST_HEADER = 500;

/**
 * For whom a page is written. What the reader chose and whether somebody is signed in stand in cookies that the web app
 * sets for this (they open nothing: only the token does), so that pages rendered here are right from the first byte.
 * Whatever else the headers hold is ignored.
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
