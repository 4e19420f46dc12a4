import "../styles/base.css";
import "../styles/public-pages.css";
import "../styles/unopened.css";
import { languages } from "@farline/domain/languages.ts";
import type { Language } from "@farline/contract/languages.ts";
import type { PageRenderer, PageRequest, SiteFacts } from "@farline/contract/public-pages.ts";
import { IconExternalLink, IconFlask } from "@tabler/icons-react";
import type { Resource } from "i18next";
import type { ReactElement, ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { I18nextProvider, useTranslation } from "react-i18next";
import { floorNames } from "../browser/browser-floor.ts";
import { Icon } from "../ui/icon.tsx";
import { Document, type PageAssets } from "./document.tsx";
import { Footer } from "./frame/footer.tsx";
import { island, pageParts } from "./page-parts.tsx";
import { createTexts } from "./public-texts.ts";
import { TopBar } from "./frame/top-bar.tsx";
import { classNames } from "../ui/class-names.ts";
import * as noticesStyles from "../app/notices/notices.module.css";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { files } from "virtual:page-assets";
import icon from "../assets/mark-yellow.svg";

/** Namespaces of the public pages. A language is offered here once it has all of them. */
const NAMESPACES = ["cities", "common", "public", "landing", "rates", "quality", "company", "help"];
/** Names of controls that the help and contact pages quote, and why the service takes no orders. */
const QUOTED = ["service", "account", "billing", "dialer", "history", "dialer-parts"];
const PICTURE = "/og.png";

const textFiles = import.meta.glob<Record<string, unknown>>(
  "../../../texts/*/{cities,common,service,public,landing,rates,quality,company,help,account,billing,dialer,history,dialer-parts}.json",
  {
    eager: true,
    import: "default",
  },
);

const catalogues: Record<string, Record<string, Record<string, unknown>>> = {};
for (const [path, content] of Object.entries(textFiles)) {
  const [, language = "", namespace = ""] = /\/([\w-]+)\/([\w-]+)\.json$/.exec(path) ?? [];
  (catalogues[language] ??= {})[namespace] = content;
}

const spokenLanguages = languages.filter((language) =>
  NAMESPACES.every((namespace) => catalogues[language]?.[namespace] !== undefined),
);

/** English is the fallback where a language lacks a text. */
function resourcesFor(language: Language, namespaces: readonly string[]): Resource {
  const wanted = new Set<string>([language, "en"]);
  return Object.fromEntries(
    [...wanted].map((one) => [one, Object.fromEntries(namespaces.map((name) => [name, catalogues[one]?.[name] ?? {}]))]),
  );
}

/** Sends only the needed texts in the page's language: an offered language has every text. */
function liveTexts(language: Language, keys: readonly string[]): Record<string, Record<string, unknown>> {
  const live: Record<string, Record<string, unknown>> = {};
  for (const [namespace = "", key = ""] of keys.map((one) => one.split(":")))
    (live[namespace] ??= {})[key] = catalogues[language]?.[namespace]?.[key];
  return live;
}

function renderPage(request: PageRequest): string {
  const { reader, site } = request;
  const { language } = reader;
  const texts = createTexts(language, resourcesFor(language, [...NAMESPACES, ...QUOTED]));
  const parts = pageParts(request, texts);
  const newsletter = island(texts, "newsletter", {});
  const readerChoices = island(texts, "reader-choices", { language, size: reader.textSize });
  const live = { [language]: liveTexts(language, ["public:news", "public:language", "common:textSize", ...parts.liveTexts]) };
  const html = renderToStaticMarkup(
    <I18nextProvider i18n={texts}>
      <Document
        reader={reader}
        head={{ ...parts, canonical: parts.indexed ? site.origin + request.path : null, picture: site.origin + PICTURE }}
        assets={pageAssets}
        texts={live}
      >
        <Frame
          path={request.path}
          site={site}
          year={request.year}
          newsletter={newsletter}
          readerChoices={readerChoices}
          closed={request.closed}
        >
          {parts.body}
        </Frame>
      </Document>
    </I18nextProvider>,
  );
  return `<!doctype html>${html}`;
}

interface FrameProps {
  readonly path: string;
  readonly site: SiteFacts;
  readonly year: number;
  readonly newsletter: ReactElement;
  readonly readerChoices: ReactElement;
  readonly closed: boolean;
  readonly children: ReactNode;
}

function Frame({ path, site, year, newsletter, readerChoices, closed, children }: FrameProps) {
  const { t } = useTranslation("public");
  return (
    <>
      <p data-unopened="">{t("unopened", floorNames)}</p>
      <a className="skip" href="#main">
        {t("skip")}
      </a>
      {site.sandboxUrl !== null && <SandboxNotice url={site.sandboxUrl} />}
      {closed && <ClosedNotice />}
      <TopBar path={path} />
      {children}
      <Footer site={site} newsletter={newsletter} readerChoices={readerChoices} year={year} />
    </>
  );
}

function SandboxNotice({ url }: { readonly url: string }) {
  const { t } = useTranslation("public");
  return (
    <aside className={classNames(noticesStyles.notice, noticesStyles.sandbox)}>
      <div className={classNames(noticesStyles.inner, "page")}>
        <span>
          <Icon of={IconFlask} />
          <span>{t("sandbox.text")}</span>
        </span>
        <a href={url} target="_blank" rel="noreferrer">
          <span className={noticesStyles.link}>{t("sandbox.link")}</span>
          <Icon of={IconExternalLink} />
        </a>
      </div>
    </aside>
  );
}

/** Calls and payments are closed until a restore is finished. */
function ClosedNotice() {
  const { t } = useTranslation("service");
  return (
    <aside className={classNames(noticesStyles.notice, noticesStyles.closed)}>
      <div className={classNames(noticesStyles.inner, "page")}>
        <span>{t("restoring")}</span>
      </div>
    </aside>
  );
}

export default { renderPage, spokenLanguages } satisfies PageRenderer;

/** The renderer build's bundled stylesheets; in development Vite serves each one. */
const styles = import.meta.env.DEV
  ? []
  : readdirSync(join(import.meta.dirname, "assets"))
      .filter((name) => name.endsWith(".css"))
      .map((name) => `/assets/${name}`);

/** The files that every public page refers to. */
export const pageAssets: PageAssets = { ...files, styles, icon };
