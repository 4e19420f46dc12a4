import type { Language } from "@farline/contract/languages.ts";
import { createInstance, type ResourceLanguage } from "i18next";
import { initReactI18next } from "react-i18next";
import common from "@farline/texts/en/common.json";
import { isLanguage, markDocument, openingLanguage, rememberLanguage, renewLanguageCookie } from "./language.ts";
import { valueFormatter } from "@farline/texts/format-value.ts";
import { localCountryName } from "./local-text.ts";
import { isolateNumber } from "@farline/domain/text/text-direction.ts";

/** One chunk per language and namespace of the app, so that a page loads only its own texts in one language. */
const catalogues = import.meta.glob<ResourceLanguage>(
  [
    "../../../texts/*/*.json",
    "!../../../texts/en/{common,service}.json",
    "!../../../texts/*/{mail,documents,operator,cities,public,landing,quality,help}.json",
  ],
  {
    import: "default",
  },
);

export type Namespace =
  | "common"
  | "auth"
  | "account"
  | "cases"
  | "company"
  | "contacts"
  | "dialer"
  | "billing"
  | "dashboard"
  | "history"
  | "rates"
  | "dialer-parts"
  | "places"
  | "service";

export const i18n = createInstance();

void i18n
  .use(initReactI18next)
  .use(valueFormatter)
  .init({
    lng: "en",
    fallbackLng: "en",
    ns: ["common"],
    defaultNS: "common",
    resources: { en: { common } },
    interpolation: { escapeValue: false, alwaysFormat: true },
    initAsync: false,
  });

/** Namespaces that open pages use. A language change loads all of them before it shows any. */
const wanted = new Set<Namespace>(["common", "service"]);

async function load(language: string, namespace: Namespace): Promise<void> {
  // The service's messages are in English.
  if (i18n.hasResourceBundle(language, namespace) || (language === "en" && namespace === "service")) return;
  const chunk = catalogues[`../../../texts/${language}/${namespace}.json`];
  if (chunk === undefined) throw new Error(`There is no text catalogue ${language}/${namespace}.`);
  i18n.addResourceBundle(language, namespace, await chunk());
}

/** Loads a page's texts. */
export async function loadTexts(namespace: Namespace): Promise<void> {
  wanted.add(namespace);
  await load(i18n.language, namespace);
}

/** Awaits a part of the app together with its texts. */
export async function withTexts<P>(part: Promise<P>, ...texts: readonly Namespace[]): Promise<P> {
  const [loaded] = await Promise.all([part, ...texts.map(loadTexts)]);
  return loaded;
}

async function speak(language: Language): Promise<void> {
  // A page opened during the load requested its texts in the old language, so repeat until no namespace is new.
  for (let loaded = 0; loaded < wanted.size;) {
    loaded = wanted.size;
    await Promise.all([...wanted].map((namespace) => load(language, namespace)));
  }
  await i18n.changeLanguage(language);
  markDocument(language);
}

/** The language on screen. */
export function currentLanguage(): Language {
  return isLanguage(i18n.language) ? i18n.language : "en";
}

/**
 * Sets the user's language before the first render. English is bundled: if another language's texts fail to load,
 * the app opens in English.
 */
export async function openLanguage(): Promise<void> {
  const language = openingLanguage();
  renewLanguageCookie();
  try {
    await speak(language);
  } catch {
    markDocument("en");
  }
}

/** Changes and remembers the language of every open page. @throws when its texts cannot be loaded; nothing changes then */
export async function changeLanguage(language: Language): Promise<void> {
  await speak(language);
  rememberLanguage(language);
}

/** Keeps a number in left-to-right order inside text in the app's language. */
export function leftToRight(text: string): string {
  return isolateNumber(text, currentLanguage());
}

/** A country's name in the app's language, or in English if unknown. @param code ISO 3166-1 alpha-2 */
export function countryName(code: string, englishName: string): string {
  return localCountryName(i18n.language, code, englishName);
}
