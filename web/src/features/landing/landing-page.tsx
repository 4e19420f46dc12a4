import type { PublicRates } from "@farline/contract/public-pages.ts";
import { IconArrowRight, IconCheck } from "@tabler/icons-react";
import type { ReactElement } from "react";
import { useTranslation } from "react-i18next";
import * as buttonStyles from "../../ui/button.module.css";
import * as iconStyles from "../../ui/icon.module.css";
import * as styles from "./landing-page.module.css";
import cordEnd from "../../assets/cord-cta.svg";
import cord from "../../assets/cord-hero.svg";
import { minutesForOneDollar, priceText, useMinutesText } from "../../text/price-text.ts";
import { classNames } from "../../ui/class-names.ts";
import { Flag } from "../../ui/flag.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Features } from "./landing-features.tsx";
import { lowestRate, popularRates } from "./landing-rates.ts";

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
    <section className={classNames(styles.hero, "on-credit")} aria-labelledby="hero-title">
      <div className={classNames(styles.heroInner, "page")}>
        <div className={styles.heroText}>
          <h1 className={styles.tHero} id="hero-title">
            {t("hero.title")}
          </h1>
          <p className={classNames(styles.lead, "lead")}>
            {rates === null || lowest === null
              ? t("hero.leadWithoutRates")
              : t("hero.lead", { count: rates.countries.length, rate: priceText(i18n.language).rate(lowest) })}
          </p>
          <div className={classNames(styles.cta, "row")}>
            <a className={classNames(buttonStyles.btn, buttonStyles.lg, buttonStyles.action)} href="/register">
              {t("public:getStarted")}
            </a>
            <a className="link" href="/rates">
              <span>{t("hero.viewAllRates")}</span> <Icon of={IconArrowRight} className={iconStyles.ahead} />
            </a>
          </div>
          <ul className={styles.claims}>
            {CLAIMS.map((claim) => (
              <li key={claim}>
                <Icon of={IconCheck} />
                <span>{t(`hero.claims.${claim}`)}</span>
              </li>
            ))}
          </ul>
        </div>
        <div className={classNames(styles.pad, "on-white")}>
          {firstCallFree && <p className={styles.free}>{t("free")}</p>}
          {pad}
        </div>
      </div>
      <img className={styles.heroCord} src={cord} alt="" width="1200" height="400" fetchPriority="low" />
    </section>
  );
}

function Popular({ rates }: { readonly rates: PublicRates }) {
  const { t, i18n } = useTranslation(["landing", "public"]);
  const minutesText = useMinutesText();
  const popular = popularRates(rates.rates);
  if (popular.length === 0) return null;
  return (
    <section className={classNames(styles.popular, "on-panel")} aria-labelledby="popular-title">
      <div className="page">
        <div className={classNames(styles.head, "spread")}>
          <h2 className="t-section" id="popular-title">
            {t("popular.title")}
          </h2>
          <p className="muted">{t("popular.note")}</p>
        </div>
        <ul className={classNames(styles.board, styles.popularBoard)}>
          {popular.map((rate) => {
            const minutes = minutesForOneDollar(rate.our_rate_per_minute);
            return (
              <li key={rate.country_code}>
                <Flag code={rate.country_code} size="lg" />
                <span className={styles.name}>{rate.country_name}</span>
                <span className={styles.type}>{t("popular.mobile")}</span>
                <span className={styles.price}>
                  <span>{priceText(i18n.language).rate(rate.our_rate_per_minute)}</span>
                  <small>{t("public:perMinute")}</small>
                </span>
                {minutes !== null && (
                  <span className={styles.buys}>{t("public:dollarBuys", { minutes: minutesText(minutes) })}</span>
                )}
              </li>
            );
          })}
        </ul>
        <p className={styles.all}>
          <a className={classNames(buttonStyles.btn, buttonStyles.lg, buttonStyles.credit)} href="/rates">
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
    <section className={styles.how} id="how-it-works" aria-labelledby="how-title">
      <div className="page">
        <h2 className="t-section" id="how-title">
          {t("how.title")}
        </h2>
        <ol className={styles.line}>
          {STEPS.map((step, index) => (
            <li key={step}>
              <div className={styles.stop}>
                <span className={styles.stepNumber} aria-hidden="true">
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
    <section className={classNames(styles.close, "on-credit")} aria-labelledby="close-title">
      <div className={classNames(styles.closingInner, "page")}>
        <img className={styles.closeCord} src={cordEnd} alt="" width="960" height="240" loading="lazy" />
        <div className={styles.closeText}>
          <h2 className="t-section" id="close-title">
            {t("close.title")}
          </h2>
          <p className="lead">{t("close.lead")}</p>
          <a className={classNames(buttonStyles.btn, buttonStyles.lg, buttonStyles.action)} href="/register">
            {t("public:getStarted")}
          </a>
        </div>
      </div>
    </section>
  );
}
