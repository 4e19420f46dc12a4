import type { Language } from "@farline/contract/languages.ts";
import { QueryClientProvider } from "@tanstack/react-query";
import { createInstance, type ResourceLanguage } from "i18next";
import { renderToStaticMarkup } from "react-dom/server";
import { I18nextProvider } from "react-i18next";
import { StaticRouter } from "react-router";
import { queryClient } from "../../service/query-client.ts";
import { SignedInFrame } from "./signed-in-frame.tsx";

const catalogues = import.meta.glob<ResourceLanguage>("../../../../texts/*/common.json", { eager: true, import: "default" });

/** The frame of every signed-in page as it looks without data. For the build: the service sends it until the app has loaded. */
export function renderShell(language: Language): string {
  const common = catalogues[`../../../../texts/${language}/common.json`];
  if (common === undefined) throw new Error(`There is no text catalogue ${language}/common.`);
  // Its own instance: the app's loads its texts in the browser.
  const texts = createInstance({ lng: language, resources: { [language]: { common } }, defaultNS: "common", initAsync: false });
  void texts.init({ interpolation: { escapeValue: false } });
  return renderToStaticMarkup(
    <I18nextProvider i18n={texts}>
      <QueryClientProvider client={queryClient}>
        <StaticRouter location="/">
          <SignedInFrame>{null}</SignedInFrame>
        </StaticRouter>
      </QueryClientProvider>
    </I18nextProvider>,
  );
}
