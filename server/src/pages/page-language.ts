import type { Language } from "@farline/contract/languages.ts";
import type { FastifyRequest } from "fastify";

/** Holds the language that the reader chose, so that pages rendered here are in it from the first byte. */
const LANGUAGE_COOKIE = "language";
/** Browsers send a handful; more than this is nobody's wish. */
const MOST_WISHES = 10;
const LONGEST_HEADER = 500;

/**
 * The language of a page: the one the reader chose, else the first of the browser's wishes that is spoken, else English.
 * Whatever else the headers hold is ignored.
 */
export function pageLanguage(request: FastifyRequest, spoken: readonly Language[]): Language {
  const find = (tag: string) => spoken.find((language) => language === tag.trim().split("-")[0]?.toLowerCase());
  const chosen = find(chosenLanguage(request.headers.cookie ?? ""));
  if (chosen !== undefined) return chosen;
  const header = request.headers["accept-language"] ?? "";
  if (header.length > LONGEST_HEADER) return "en";
  const wishes = header.split(",", MOST_WISHES).map((wish, place) => {
    const [tag = "", weight] = wish.split(";q=");
    return { language: find(tag), weight: weight === undefined ? 1 : Number(weight) || 0, place };
  });
  const [best] = wishes
    .filter(({ language, weight }) => language !== undefined && weight > 0)
    .toSorted((a, b) => b.weight - a.weight || a.place - b.place);
  return best?.language ?? "en";
}

function chosenLanguage(cookies: string): string {
  const pair = cookies.split(";").find((cookie) => cookie.trim().startsWith(`${LANGUAGE_COOKIE}=`));
  return pair?.split("=")[1] ?? "";
}
