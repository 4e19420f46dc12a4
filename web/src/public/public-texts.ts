import { createInstance, type i18n as I18n, type Resource } from "i18next";
import { initReactI18next } from "react-i18next";
import { valueFormatter } from "@farline/texts/format-value.ts";

/** Texts for one page in one language, all available synchronously. */
export function createTexts(language: string, resources: Resource): I18n {
  const texts = createInstance();
  void texts
    .use(initReactI18next)
    .use(valueFormatter)
    .init({
      lng: language,
      fallbackLng: "en",
      ns: ["public"],
      defaultNS: "public",
      resources,
      interpolation: { escapeValue: false },
      react: { useSuspense: false },
      initAsync: false,
    });
  return texts;
}
