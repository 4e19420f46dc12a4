import type { Language } from "@farline/contract/languages.ts";
import { ar } from "./texts/ar.ts";
import type { DocumentTexts } from "./texts/document-texts.ts";
import { en } from "./texts/en.ts";
import { es } from "./texts/es.ts";
import { fr } from "./texts/fr.ts";
import { hi } from "./texts/hi.ts";

export type { DocumentTexts, LineTexts } from "./texts/document-texts.ts";

const TEXTS: Readonly<Record<Language, DocumentTexts>> = { en, es, fr, hi, ar };

export function documentTexts(language: Language): DocumentTexts {
  return TEXTS[language];
}

/** Fills a text's placeholders. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
}
