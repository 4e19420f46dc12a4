import { languages } from "@farline/contract/constants.ts";
import type { Language } from "@farline/contract/languages.ts";
import Negotiator from "negotiator";

/** Browsers send a handful of languages. A longer header is ignored: matching takes time that grows with its square. */
const LONGEST_HEADER = 500;

/**
 * The language of an Accept-Language header (RFC 9110 §12.5.4) that fits best; English without one.
 * @param spoken the languages to choose from
 */
export function preferredLanguage(header: string | undefined, spoken: readonly Language[] = languages): Language {
  const read = header === undefined || header.length > LONGEST_HEADER ? "" : header;
  const [best] = new Negotiator({ headers: { "accept-language": read } }).languages([...spoken]);
  return spoken.find((language) => language === best) ?? "en";
}
