import type { Language } from "@farline/domain/languages.ts";
import { catalogue } from "@farline/texts/catalogue.ts";

export type DocumentTexts = ReturnType<typeof documentTexts>;

/** The descriptions of a statement's entries. */
export type LineTexts = DocumentTexts["statement"]["lines"];

/** The texts of receipts and statements. */
export function documentTexts(language: Language) {
  return catalogue(language, "documents");
}

/** Fills a text's placeholders. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? "");
}
