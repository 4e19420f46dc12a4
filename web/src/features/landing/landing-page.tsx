import type { PublicRates } from "@farline/contract/public-pages.ts";
import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";
import { IconArrowRight, IconCheck } from "@tabler/icons-react";
import cordEnd from "../../assets/cord-cta.svg";
import cord from "../../assets/cord-hero.svg";
import { minutesForOneDollar, priceText } from "../../text/price-text.ts";
import { Flag } from "../../ui/flag.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Features } from "./landing-features.tsx";
import { lowestRate, popularRates } from "./popular-rates.ts";
import "../../ui/button.css";
import "./landing-page.css";

interface LandingPageProps {
  /** Null while no deck is in force: the page then makes no claims about prices. */
  readonly rates: PublicRates | null;
  /** Whether this reader can have a free first call. */
  readonly firstCallFree: boolean;
  /** The demo dial pad. */
  readonly pad: ReactElement;
}

/** The top of the page. */
export function LandingPage({ rates, firstCallFree, pad }: LandingPageProps) {
  return (
    <main id="main">
      <Hero rates={rates} firstCallFree={firstCallFree} pad={pad} />
      {rates !== null && <Popular rates={rates} />}
      <HowItWorks />
      <Features rates={rates} />
      <Close />
    </main>
  );
}

const CLAIMS = ["subscriptions", "fees", "download", "number"] as const;

function Hero({ rates, firstCallFree, pad }: LandingPageProps) {
  const { t, i18n } = useTranslation(["landing", "public"]);
  const lowest = rates === null ? null : lowestRate(rates);
  return (
    <section className="hero on-credit" aria-labelledby="hero-title">
      <div className="hero__in page">
        <div className="hero__text">
          <h1 className="t-hero" id="hero-title">
            {t("hero.title")}
          </h1>
          <p className="lead hero__lead">
            {rates === null || lowest === null
              ? t("hero.leadWithoutRates")
              : t("hero.lead", { count: rates.countries.length, rate: priceText(i18n.language).rate(lowest) })}
          </p>
          <div className="row hero__cta">
            <a className="btn btn--lg btn--action" href="/register">
              {t("public:getStarted")}
            </a>
            <a className="link" href="/rates">
              <span>{t("hero.viewAllRates")}</span> <Icon of={IconArrowRight} className="icon--ahead" />
            </a>
          </div>
          <ul className="hero__claims">
            {CLAIMS.map((claim) => (
              <li key={claim}>
                <Icon of={IconCheck} />
                <span>{t(`hero.claims.${claim}`)}</span>
              </li>
            ))}
          </ul>
        </div>
        <div className="hero__pad on-white">
          {firstCallFree && <p className="hero__free">{t("free")}</p>}
          {pad}
        </div>
      </div>
      <img className="hero__cord" src={cord} alt="" width="1200" height="400" fetchPriority="low" />
    </section>
  );
}

function Popular({ rates }: { readonly rates: PublicRates }) {
  const { t, i18n } = useTranslation(["landing", "public"]);
  const popular = popularRates(rates.rates);
  if (popular.length === 0) return null;
  return (
    <section className="popular on-panel" aria-labelledby="popular-title">
      <div className="page">
        <div className="spread popular__head">
          <h2 className="t-section" id="popular-title">
            {t("popular.title")}
          </h2>
          <p className="muted">{t("popular.note")}</p>
        </div>
        <ul className="board popular__board">
          {popular.map((rate) => {
            const minutes = minutesForOneDollar(rate.our_rate_per_minute);
            return (
              <li key={rate.country_code}>
                <Flag code={rate.country_code} size="lg" />
                <span className="board__name">{rate.country_name}</span>
                <span className="board__type">{t("popular.mobile")}</span>
                <span className="board__price">
                  <span>{priceText(i18n.language).rate(rate.our_rate_per_minute)}</span>
                  <small>{t("public:perMinute")}</small>
                </span>
                {minutes !== null && <span className="board__buys">{t("public:dollarBuys", { minutes })}</span>}
              </li>
            );
          })}
        </ul>
        <p className="popular__all">
          <a className="btn btn--lg btn--credit" href="/rates">
            {t("popular.all")}
          </a>
        </p>
      </div>
    </section>
  );
}

const STEPS = ["signUp", "credits", "call"] as const;

function HowItWorks() {
  const { t } = useTranslation("landing");
  return (
    <section className="how" id="how-it-works" aria-labelledby="how-title">
      <div className="page">
        <h2 className="t-section" id="how-title">
          {t("how.title")}
        </h2>
        <ol className="how__line">
          {STEPS.map((step, index) => (
            <li key={step}>
              <div className="how__stop">
                <span className="how__n" aria-hidden="true">
                  {index + 1}
                </span>
              </div>
              <h3 className="t-card">{t(`how.${step}.title`)}</h3>
              <p className="muted">{t(`how.${step}.text`)}</p>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

function Close() {
  const { t } = useTranslation(["landing", "public"]);
  return (
    <section className="close on-credit" aria-labelledby="close-title">
      <div className="close__in page">
        <img className="close__cord" src={cordEnd} alt="" width="960" height="240" loading="lazy" />
        <div className="close__text">
          <h2 className="t-section" id="close-title">
            {t("close.title")}
          </h2>
          <p className="lead">{t("close.lead")}</p>
          <a className="btn btn--lg btn--action" href="/register">
            {t("public:getStarted")}
          </a>
        </div>
      </div>
    </section>
  );
}
