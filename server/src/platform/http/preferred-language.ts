import { languages } from "@farline/domain/languages.ts";
import type { Language } from "@farline/contract/languages.ts";
import Negotiator from "negotiator";

/** Browsers send a handful of languages. Longer headers are ignored, because matching takes quadratic time. */
const LONGEST_HEADER = 500;

/**
 * The best match for an Accept-Language header (RFC 9110 §12.5.4); English without a match.
 * @param spoken the supported languages
 */
export function preferredLanguage(header: string | undefined, spoken: readonly Language[] = languages): Language {
  const read = header === undefined || header.length > LONGEST_HEADER ? "" : header;
  const [best] = new Negotiator({ headers: { "accept-language": read } }).languages([...spoken]);
  return spoken.find((language) => language === best) ?? "en";
}
