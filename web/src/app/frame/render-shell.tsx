import { dialerPath, type drawnPages } from "@farline/contract/constants.ts";
import type { Language } from "@farline/contract/languages.ts";
import { QueryClientProvider } from "@tanstack/react-query";
import { createInstance, type ResourceLanguage } from "i18next";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { I18nextProvider } from "react-i18next";
import { StaticRouter } from "react-router";
import { DialerPage } from "../../features/dialer/dialer-page.tsx";
import { queryClient } from "../../service/query-client.ts";
import { valueFormatter } from "@farline/texts/format-value.ts";
import { ShellContext } from "../../browser/page-hooks.ts";
import { LoginPage } from "../../features/auth/login-page.tsx";
import { RegisterPage } from "../../features/auth/register-page.tsx";
import { TopUpPage } from "../../features/billing/top-up/top-up-page.tsx";
import { ContactsPage } from "../../features/contacts/contacts-page.tsx";
import { HistoryPage } from "../../features/history/history-page.tsx";
import { SignedInFrame } from "./signed-in-frame.tsx";
import { VisitorFrame } from "./visitor-frame.tsx";

const catalogues = import.meta.glob<ResourceLanguage>("../../../../texts/*/{common,auth,billing,contacts,dialer,history}.json", {
  eager: true,
  import: "default",
});
const NAMESPACES = ["common", "auth", "billing", "contacts", "dialer", "history"];

type SignedIn = (typeof drawnPages.signedIn)[number];
type Visitor = (typeof drawnPages.visitor)[number];

const signedInPages: Record<SignedIn | "", ReactNode> = {
  "": null,
  [dialerPath]: <DialerPage />,
  "/history": <HistoryPage />,
  "/contacts": <ContactsPage />,
  "/topup": <TopUpPage />,
};
const visitorPages: Record<Visitor, ReactNode> = { "/login": <LoginPage />, "/register": <RegisterPage /> };

/** The pages as they look without data, by address; `""` is the frame alone. For the build: the service sends them until the app has loaded. */
export function renderShell(language: Language): Record<SignedIn | Visitor | "", string> {
  const draw = (pages: Record<string, ReactNode>, frame: (page: ReactNode) => ReactNode) =>
    Object.entries(pages).map(([path, page]) => [path, render(language, path || "/", frame(page))]);
  const drawn = [
    ...draw(signedInPages, (page) => <SignedInFrame>{page}</SignedInFrame>),
    ...draw(visitorPages, (page) => <VisitorFrame>{page}</VisitorFrame>),
  ];
  // The timers of kept queries would keep the build from ending for a minute.
  queryClient.clear();
  return Object.fromEntries(drawn) as Record<SignedIn | Visitor | "", string>;
}

function render(language: Language, path: string, page: ReactNode): string {
  // Its own instance: the app's loads its texts in the browser.
  const texts = createInstance({ lng: language, defaultNS: "common", initAsync: false });
  void texts.use(valueFormatter).init({ interpolation: { escapeValue: false } });
  for (const namespace of NAMESPACES) texts.addResourceBundle(language, namespace, textsOf(language, namespace));
  return renderToStaticMarkup(
    <ShellContext value={true}>
      <I18nextProvider i18n={texts}>
        <QueryClientProvider client={queryClient}>
          <StaticRouter location={path}>{page}</StaticRouter>
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
