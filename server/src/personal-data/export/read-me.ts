import type { Language } from "@farline/domain/languages.ts";
import { catalogue } from "@farline/texts/catalogue.ts";

/** The read-me file of a customer's copy. */
export function readMe(language: Language): string {
  return `\uFEFF${catalogue(language, "documents").exportReadMe.join("\r\n\r\n")}\r\n`;
}
