import { readFileSync } from "node:fs";
import type { Language } from "@farline/domain/languages.ts";
import type contacts from "./en/contacts.json";
import type documents from "./en/documents.json";
import type mail from "./en/mail.json";
import type places from "./en/places.json";
import type publicPages from "./en/public.json";
import type service from "./en/service.json";

/** Catalogues that the service or the build reads as a whole, with the shape of the English one. */
interface Catalogues {
  readonly contacts: typeof contacts;
  readonly mail: typeof mail;
  readonly documents: typeof documents;
  readonly places: typeof places;
  readonly public: typeof publicPages;
  readonly service: typeof service;
}

const read = new Map<string, unknown>();

/** A catalogue in one language, as plain text. The caller fills in placeholders such as `{{name}}`. */
export function catalogue<Name extends keyof Catalogues>(language: Language, name: Name): Catalogues[Name] {
  const path = `./${language}/${name}.json`;
  if (!read.has(path)) read.set(path, JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")));
  return read.get(path) as Catalogues[Name];
}
