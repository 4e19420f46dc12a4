import type { PageReader, PageRequest, PublicPage, PublicRates, SiteFacts } from "@farline/contract/public-pages.ts";
import type { CountrySummary } from "@farline/contract/rates.ts";
import { countryByCode } from "@farline/domain/countries/countries.ts";
import { countrySlug } from "@farline/domain/countries/country-slug.ts";
import type { i18n as I18n } from "i18next";
import { type ComponentType, createElement, type ReactElement } from "react";
import { AboutPage, ContactPage, EmergencyPage, PrivacyPage, StatusPage, TermsPage } from "../features/company/company-pages.tsx";
import { helpSections } from "../features/help/help-answers.ts";
import { HelpPage } from "../features/help/help-page.tsx";
import { LandingPage } from "../features/landing/landing-page.tsx";
import { lowestRate, padCountries } from "../features/landing/landing-rates.ts";
import { ComparePage } from "../features/rates/compare-page.tsx";
import { countryPath, usualRate } from "../features/rates/country-card.tsx";
import { CountryPage, ofKind } from "../features/rates/country-page.tsx";
import type { CompactCountry } from "../features/rates/calculator/calculator.tsx";
import type { ClockTexts } from "../features/rates/live-clock.ts";
import { localSummaries } from "../features/rates/find-countries.ts";
import { QualityPage } from "../features/rates/quality-page.tsx";
import { RatesPage } from "../features/rates/rates-page.tsx";
import { localCountryName } from "../text/local-text.ts";
import { priceText } from "../text/price-text.ts";
import { countryData, organizationData, questionsData, ratesData } from "./structured-data.ts";
import { I18nextProvider, useTranslation } from "react-i18next";
import cord from "../assets/cord-empty.svg";
import { classNames } from "../ui/class-names.ts";
import * as companyStyles from "../features/company/company.module.css";
import * as emptyStateStyles from "../ui/empty-state.module.css";
import * as buttonStyles from "../ui/button.module.css";
import { renderToString } from "react-dom/server";
import { idPrefix, type IslandName, type IslandProps, islands } from "./islands.tsx";
import { safeJson } from "./document.tsx";

const CLOCK_TEXT = /^(sameTime|ahead|behind|hours\w+)$/;

/** What differs from page to page: the head, the body, and the texts of its islands. */
interface PageParts {
  readonly title: string;
  readonly description: string;
  readonly structuredData: object | null;
  /** False for pages that search engines must not index. */
  readonly indexed: boolean;
  /** The islands' texts: keys or groups of keys, as "namespace:key". */
  readonly liveTexts: readonly string[];
  readonly body: ReactElement;
}

/** Composes a page from its parts. */
export function pageParts({ page, site, reader }: PageRequest, texts: I18n): PageParts {
  switch (page.name) {
    case "landing":
      return landing(page.rates, { origin: site.origin, firstCall: firstCallFor(reader, site) }, texts);
    case "rates":
      return rates(page, site.origin, texts);
    case "country":
      return country(page.country, { origin: site.origin, firstCall: firstCallFor(reader, site) }, texts);
    case "compare":
      return compare(page, texts);
    case "quality":
      return quality(page, texts);
    case "help":
      return help(site, texts);
    default:
      return { ...reading(page, site, texts), structuredData: null, liveTexts: [] };
  }
}

/** What this reader's free first call may cost, in dollars; null if they get none. */
function firstCallFor(reader: PageReader, site: SiteFacts): string | null {
  return reader.signedIn ? null : site.firstCall;
}

interface Offer {
  readonly origin: string;
  readonly firstCall: string | null;
}

function landing(shown: PublicRates | null, { origin, firstCall }: Offer, texts: I18n): PageParts {
  const t = texts.getFixedT(null, "landing");
  const rates = localRates(shown, texts.language);
  const lowest = rates === null ? null : lowestRate(rates);
  const claim =
    rates === null || lowest === null ? null : { count: rates.countries.length, rate: priceText(texts.language).rate(lowest) };
  return {
    title: t("title"),
    description: claim === null ? t("descriptionWithoutRates") : t("description", claim),
    structuredData: organizationData(origin),
    indexed: true,
    liveTexts: ["landing:pad", "public:perMinute", "public:dollarBuys", "public:free", "common:duration"],
    body: (
      <LandingPage
        rates={rates}
        firstCallFree={firstCall !== null}
        pad={island(texts, "dial-pad", { countries: padCountries(rates?.rates ?? []), firstCall })}
      />
    ),
  };
}

function rates(page: Extract<PublicPage, { name: "rates" }>, origin: string, texts: I18n): PageParts {
  const { rates: shown, search, number } = page;
  const t = texts.getFixedT(null, "rates");
  const lowest = shown === null ? null : lowestRate(shown);
  const local = localRates(shown, texts.language);
  const claim =
    shown === null || lowest === null ? null : { count: shown.countries.length, rate: priceText(texts.language).rate(lowest) };
  const compact = (local?.countries ?? []).map((one) => compactCountry(one));
  return {
    title: texts.t("title", { page: t("title") }),
    description: claim === null ? t("descriptionWithoutRates") : t("description", claim),
    structuredData: shown === null ? null : ratesData(origin, shown),
    indexed: search === "",
    liveTexts: [
      ...["rates:calculator", "rates:types", "rates:perMinute", "common:increments", "common:duration", "common:numberQuestion"],
      ...["rates:all", "rates:card", "rates:dollarBuys", "common:showMore"],
    ],
    body: (
      <RatesPage
        rates={local}
        calculator={shown === null ? null : island(texts, "calculator", { countries: compact })}
        search={search}
        number={number}
      />
    ),
  };
}

function country(
  shown: Extract<PublicPage, { name: "country" }>["country"],
  { origin, firstCall }: Offer,
  texts: I18n,
): PageParts {
  const t = texts.getFixedT(null, "rates");
  const ordinary = [...ofKind(shown.prices, "mobile"), ...ofKind(shown.prices, "landline")];
  const lowest = lowestRate({ rates: ordinary.map((one) => ({ our_rate_per_minute: one.ratePerMinute })) });
  const rate = lowest === null ? "" : priceText(texts.language).rate(lowest);
  const name = localCountryName(texts.language, shown.countryCode, shown.name);
  return {
    title: texts.t("title", { page: t("country.title", { country: name, rate }) }),
    description: t("country.description", { country: name, code: shown.dialCode, rate }),
    structuredData: countryData(origin, shown),
    indexed: true,
    liveTexts: [],
    body: (
      <CountryPage country={{ ...shown, name }} englishName={shown.name} firstCall={firstCall} clockTexts={clockTexts(texts)} />
    ),
  };
}

function compare({ countries, compared, slugs }: Extract<PublicPage, { name: "compare" }>, texts: I18n): PageParts {
  const t = texts.getFixedT(null, "rates");
  const { language } = texts;
  const chosen = compared.flatMap((one) => localSummaries([one.summary], language).map((summary) => ({ ...one, summary })));
  return {
    title: texts.t("title", { page: t("compare.title") }),
    description: t("compare.description"),
    structuredData: null,
    indexed: slugs.every((slug) => slug === ""),
    liveTexts: [],
    body: <ComparePage countries={localSummaries(countries, language)} chosen={chosen} slugs={slugs} />,
  };
}

function quality({ report, countries, search, sort }: Extract<PublicPage, { name: "quality" }>, texts: I18n): PageParts {
  const t = texts.getFixedT(null, "quality");
  const figures = new Map(report.destinations.map((one) => [one.country_code, one]));
  const sold = new Set(countries.map((one) => one.country_code));
  const named = ({ country_code: code, country_name: englishName, slug }: NamedCountry) => {
    const name = localCountryName(texts.language, code, englishName);
    return { code, name, path: sold.has(code) ? countryPath({ slug }) : null, quality: figures.get(code) ?? null };
  };
  const others = report.destinations.filter((one) => !sold.has(one.country_code)).map((one) => namedCountry(one.country_code));
  return {
    title: texts.t("title", { page: t("title") }),
    description: figures.size === 0 ? t("descriptionWithoutFigures") : t("description", { count: figures.size }),
    structuredData: null,
    indexed: search === "",
    liveTexts: [],
    body: (
      <QualityPage destinations={[...countries, ...others].map(named)} lastDay={report.last_day} search={search} sort={sort} />
    ),
  };
}

function compactCountry(summary: CountrySummary): CompactCountry {
  const { country_code: code, country_name: name } = summary;
  return [code, name, countryByCode(code)?.dialCode ?? "", usualRate(summary)];
}

type NamedCountry = Pick<CountrySummary, "country_code" | "country_name" | "slug">;

/** A country whose calls are no longer sold. */
function namedCountry(code: string): NamedCountry {
  const name = countryByCode(code)?.name ?? code;
  return { country_code: code, country_name: name, slug: countrySlug(name) };
}

/** As in the catalogue; the page fills in the values. */
function clockTexts(texts: I18n): ClockTexts {
  const country = texts.getResource(texts.language, "rates", "country") as ClockTexts;
  return Object.fromEntries(Object.entries(country).filter(([key]) => CLOCK_TEXT.test(key)));
}

/** The rates with country names in the page's language. Structured data keeps the English names, which addresses use. */
function localRates(shown: PublicRates | null, language: string): PublicRates | null {
  if (shown === null) return null;
  const rates = shown.rates.map((one) => ({
    ...one,
    country_name: localCountryName(language, one.country_code, one.country_name),
  }));
  const { compare } = new Intl.Collator(language);
  return {
    ...shown,
    rates: rates.toSorted((a, b) => compare(a.country_name, b.country_name)),
    countries: localSummaries(shown.countries, language),
  };
}

function help({ firstCall, seller }: SiteFacts, texts: I18n): PageParts {
  const t = texts.getFixedT(null, "help");
  const sections = helpSections(texts, firstCall);
  return {
    title: texts.t("title", { page: t("title") }),
    description: t("description"),
    structuredData: questionsData(sections),
    indexed: true,
    liveTexts: ["help:search"],
    body: <HelpPage sections={sections} search={island(texts, "help-search", {})} supportEmail={seller.support_email} />,
  };
}

type Reading = Exclude<PublicPage, { name: "landing" | "rates" | "country" | "compare" | "quality" | "help" }>;

function reading(page: Reading, site: SiteFacts, texts: I18n): Pick<PageParts, "title" | "description" | "indexed" | "body"> {
  if (page.name === "not-found")
    return {
      title: texts.t("title", { page: texts.t("notFound.title") }),
      description: texts.t("notFound.text"),
      indexed: false,
      body: <NotFound />,
    };
  const t = texts.getFixedT(null, "company");
  return {
    title: texts.t("title", { page: t(`${page.name}.title`) }),
    description: t(`${page.name}.description`),
    indexed: true,
    body: readingBody(page, site),
  };
}

function readingBody(page: Exclude<Reading, { name: "not-found" }>, { seller }: SiteFacts): ReactElement {
  switch (page.name) {
    case "about":
      return <AboutPage rates={page.rates} lowestRate={page.rates === null ? null : lowestRate(page.rates)} seller={seller} />;
    case "contact":
      return <ContactPage seller={seller} />;
    case "emergency":
      return <EmergencyPage />;
    case "terms":
      return <TermsPage seller={seller} />;
    case "privacy":
      return <PrivacyPage seller={seller} />;
    default:
      return <StatusPage parts={page.parts} />;
  }
}

/** The page for an address of the public site that does not exist. */
function NotFound() {
  const { t } = useTranslation("public");
  return (
    <main className={classNames(companyStyles.article, "page")} id="main">
      <div className={emptyStateStyles.empty}>
        <img src={cord} alt="" width="240" height="120" loading="lazy" />
        <h1 className="t-card">{t("notFound.title")}</h1>
        <p className="muted">{t("notFound.text")}</p>
        <p className="row">
          <a className={classNames(buttonStyles.btn, buttonStyles.action)} href="/rates">
            {t("notFound.rates")}
          </a>
          <a className={buttonStyles.btn} href="/">
            {t("notFound.home")}
          </a>
        </p>
      </div>
    </main>
  );
}

/**
 * An island in the document: its markup and the props to hydrate it with. It is inert until `hydrate-islands.tsx` hydrates
 * it, so that no press is lost. Call it while composing a page, not inside a component: it renders separately.
 */
export function island<Name extends IslandName>(texts: I18n, name: Name, props: IslandProps<Name>): ReactElement {
  const html = renderToString(
    <I18nextProvider i18n={texts}>{createElement(islands[name] as ComponentType<object>, props as object)}</I18nextProvider>,
    { identifierPrefix: idPrefix(name) },
  );
  return (
    <>
      <div data-island={name} inert dangerouslySetInnerHTML={{ __html: html }} />
      <script type="application/json" data-props={name} dangerouslySetInnerHTML={{ __html: safeJson(props) }} />
    </>
  );
}
