import { dialerPath } from "@farline/contract/constants.ts";
import type { Language } from "@farline/contract/languages.ts";
import { QueryClientProvider } from "@tanstack/react-query";
import { createInstance, type ResourceLanguage } from "i18next";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { I18nextProvider } from "react-i18next";
import { StaticRouter } from "react-router";
import { DialerPage } from "../../features/dialer/dialer-page.tsx";
import { queryClient } from "../../service/query-client.ts";
import { valueFormatter } from "../../text/local-text.ts";
import { ShellContext } from "../../browser/page-hooks.ts";
import { SignedInFrame } from "./signed-in-frame.tsx";

const catalogues = import.meta.glob<ResourceLanguage>("../../../../texts/*/{common,dialer}.json", {
  eager: true,
  import: "default",
});

/** The signed-in pages as they look without data. For the build: the service sends them until the app has loaded. */
export function renderShell(language: Language): { readonly frame: string; readonly dialer: string } {
  const pages = { frame: render(language, "/", null), dialer: render(language, dialerPath, <DialerPage />) };
  // The timers of kept queries would keep the build from ending for a minute.
  queryClient.clear();
  return pages;
}

function render(language: Language, path: string, page: ReactNode): string {
  // Its own instance: the app's loads its texts in the browser.
  const texts = createInstance({ lng: language, defaultNS: "common", initAsync: false });
  void texts.use(valueFormatter).init({ interpolation: { escapeValue: false } });
  for (const namespace of ["common", "dialer"]) texts.addResourceBundle(language, namespace, textsOf(language, namespace));
  return renderToStaticMarkup(
    <ShellContext value={true}>
      <I18nextProvider i18n={texts}>
        <QueryClientProvider client={queryClient}>
          <StaticRouter location={path}>
            <SignedInFrame>{page}</SignedInFrame>
          </StaticRouter>
        </QueryClientProvider>
      </I18nextProvider>
    </ShellContext>,
  );
}

function textsOf(language: Language, namespace: string): ResourceLanguage {
  const catalogue = catalogues[`../../../../texts/${language}/${namespace}.json`];
  if (catalogue === undefined) throw new Error(`There is no text catalogue ${language}/${namespace}.`);
  return catalogue;
}
