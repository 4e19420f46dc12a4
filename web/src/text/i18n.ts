import type { Language } from "@farline/contract/languages.ts";
import { createInstance, type ResourceLanguage } from "i18next";
import { initReactI18next } from "react-i18next";
import common from "../locales/en/common.json";
import { isLanguage, markDocument, openingLanguage, rememberLanguage } from "./language.ts";

/** One chunk a language and namespace: a page loads its own texts in its reader's language and no others. */
const catalogues = import.meta.glob<ResourceLanguage>(["../locales/*/*.json", "!../locales/en/common.json"], {
  import: "default",
});

export type Namespace = "common" | "auth" | "account" | "contacts" | "dialer" | "billing" | "dashboard" | "history" | "rates";

export const i18n = createInstance();

void i18n.use(initReactI18next).init({
  lng: "en",
  fallbackLng: "en",
  ns: ["common"],
  defaultNS: "common",
  resources: { en: { common } },
  interpolation: { escapeValue: false },
  initAsync: false,
});

/** What the open pages read; a change of language loads all of it before it shows any. */
const wanted = new Set<Namespace>(["common"]);

async function load(language: string, namespace: Namespace): Promise<void> {
  if (i18n.hasResourceBundle(language, namespace)) return;
  const chunk = catalogues[`../locales/${language}/${namespace}.json`];
  if (chunk === undefined) throw new Error(`There is no text catalogue ${language}/${namespace}.`);
  i18n.addResourceBundle(language, namespace, await chunk());
}

/** Loads a page's texts; to be awaited beside its code. */
export async function loadTexts(namespace: Namespace): Promise<void> {
  wanted.add(namespace);
  await load(i18n.language, namespace);
}

async function speak(language: Language): Promise<void> {
  // A page that is opened meanwhile wants its texts too: it asked for them in the language that is left here.
  for (let loaded = 0; loaded < wanted.size;) {
    loaded = wanted.size;
    await Promise.all([...wanted].map((namespace) => load(language, namespace)));
  }
  await i18n.changeLanguage(language);
  markDocument(language);
}

/** The language on the screen. */
export function currentLanguage(): Language {
  return isLanguage(i18n.language) ? i18n.language : "en";
}

/**
 * Speaks the reader's language before the first page is drawn. English is part of the app; should the texts of another
 * language not arrive, the app opens in English rather than not at all.
 */
export async function openLanguage(): Promise<void> {
  const language = openingLanguage();
  try {
    await speak(language);
  } catch {
    markDocument("en");
  }
}

/** Changes the language of every open page and remembers it. @throws when its texts cannot be loaded; nothing changes then */
export async function changeLanguage(language: Language): Promise<void> {
  await speak(language);
  rememberLanguage(language);
}
