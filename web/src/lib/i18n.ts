import { type BackendModule, createInstance } from "i18next";
import { initReactI18next } from "react-i18next";
import common from "../locales/en/common.json";

/** One chunk a namespace: a page loads its own texts and no others. */
const catalogues = import.meta.glob<Record<string, unknown>>(["../locales/*/*.json", "!../locales/en/common.json"], {
  import: "default",
});

const chunks: BackendModule = {
  type: "backend",
  init() {
    // Nothing to set up: the catalogues are chunks of the build.
  },
  async read(language, namespace) {
    const load = catalogues[`../locales/${language}/${namespace}.json`];
    if (load === undefined) throw new Error(`There is no text catalogue ${language}/${namespace}.`);
    return (await load()) as Record<string, string>;
  },
};

export type Namespace = "common" | "auth" | "dialer" | "billing" | "history";

export const i18n = createInstance();

void i18n
  .use(chunks)
  .use(initReactI18next)
  .init({
    lng: "en",
    fallbackLng: "en",
    ns: ["common"],
    defaultNS: "common",
    partialBundledLanguages: true,
    resources: { en: { common } },
    interpolation: { escapeValue: false },
    initAsync: false,
  });

/** Loads a page's texts; to be awaited beside its code. */
export async function loadTexts(namespace: Namespace): Promise<void> {
  await i18n.loadNamespaces(namespace);
}
