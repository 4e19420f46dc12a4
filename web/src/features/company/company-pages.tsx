import {
  cookies,
  ERASURE_GRACE_DAYS,
  EXPORT_DAYS,
  GIFT_MARKS_KEPT,
  keptGroups,
  NUMBERS_KEPT_MONTHS,
  REFUND_DAYS,
  RETURNABLE_DAYS,
  SECURITY_EVENTS_KEPT_DAYS,
} from "@farline/contract/constants.ts";
import type { Language } from "@farline/contract/languages.ts";
import type { PublicPage, PublicRates, SellerNotice } from "@farline/contract/public-pages.ts";
import { MAX_TOP_UP_MICROS, MIN_TOP_UP_MICROS } from "@farline/domain/business/top-up-limits.ts";
import { longestCallOf } from "@farline/domain/calls/call-terms.ts";
import type { RiskTier } from "@farline/domain/calls/risk-tier.ts";
import { DAY_SECONDS } from "@farline/domain/durations.ts";
import { moneyText } from "@farline/domain/money-text.ts";
import { type Micros, MICROS_PER_DOLLAR } from "@farline/domain/money.ts";
import { IconCircleCheckFilled, IconCircleX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import * as buttonStyles from "../../ui/button.module.css";
import * as cardStyles from "../../ui/card.module.css";
import * as bannerStyles from "../../ui/messages/banner.module.css";
import * as rowsStyles from "../../ui/rows.module.css";
import * as styles from "./company.module.css";
import { priceText } from "../../text/price-text.ts";
import { classNames } from "../../ui/class-names.ts";
import { Icon } from "../../ui/icon.tsx";
import { supportHoursText } from "../../ui/money/seller-line.tsx";

interface AboutPageProps {
  readonly rates: PublicRates | null;
  /** Dollars per minute; null while no deck is in force. */
  readonly lowestRate: string | null;
  readonly seller: SellerNotice;
}

export function AboutPage({ rates, lowestRate, seller }: AboutPageProps) {
  const { t, i18n } = useTranslation("company");
  return (
    <Article title={t("about.title")} lead={t("about.lead")}>
      <p>{t("about.why")}</p>
      <ArticleSection title={t("about.moneyTitle")}>
        <p>{t("about.money")}</p>
      </ArticleSection>
      <ArticleSection title={t("about.balanceTitle")}>
        <p>{t("about.balance")}</p>
      </ArticleSection>
      <ArticleSection title={t("about.earnTitle")}>
        <p>{t("about.earn")}</p>
      </ArticleSection>
      <ArticleSection title={t("about.reachTitle")}>
        {rates !== null && lowestRate !== null && (
          <p>{t("about.reach", { count: rates.countries.length, rate: priceText(i18n.language).rate(lowestRate) })}</p>
        )}
        <p>
          <a className="link" href="/rates">
            {t("about.reachLink")}
          </a>
        </p>
      </ArticleSection>
      <SellerSection seller={seller} />
    </Article>
  );
}

/** The seller with address and tax number; marked as a sample if the operator has not configured one. */
function SellerSection({ seller }: { readonly seller: SellerNotice }) {
  const { t } = useTranslation("company");
  return (
    <ArticleSection title={t("seller.title")}>
      <p>{t("seller.text")}</p>
      <address className={styles.address}>
        {[seller.name, ...seller.address].map((line) => (
          <bdi key={line}>{line}</bdi>
        ))}
        {seller.registration !== null && <bdi>{seller.registration}</bdi>}
        {seller.tax_id !== null && <span>{t("seller.taxId", { id: seller.tax_id })}</span>}
      </address>
      {seller.sample && <p className="muted small">{t("seller.sample")}</p>}
    </ArticleSection>
  );
}

export function ContactPage({ seller }: { readonly seller: SellerNotice }) {
  const { t, i18n } = useTranslation(["company", "history", "billing"]);
  const { support_email: supportEmail, support_hours: hours } = seller;
  return (
    <Article title={t("contact.title")} lead={t("contact.lead")}>
      <p>
        <a className="link" href="/help">
          {t("contact.helpLink")}
        </a>
      </p>
      <p className={styles.mail}>
        <span>{t("contact.mail")}</span>
        <a className="link" href={`mailto:${supportEmail}`}>
          <bdi>{supportEmail}</bdi>
        </a>
      </p>
      {hours !== null && (
        <ArticleSection title={t("contact.hours")}>
          <p>{supportHoursText(hours, i18n.language)}</p>
        </ArticleSection>
      )}
      <ArticleSection title={t("contact.callTitle")}>
        <p>{t("contact.call", { button: t("history:details.help") })}</p>
      </ArticleSection>
      <ArticleSection title={t("contact.paymentTitle")}>
        <p>{t("contact.payment", { button: t("billing:list.help") })}</p>
      </ArticleSection>
      <ArticleSection title={t("contact.statusTitle")}>
        <p>
          <a className="link" href="/status">
            {t("contact.statusLink")}
          </a>
        </p>
      </ArticleSection>
      <SellerSection seller={seller} />
    </Article>
  );
}

/** Common emergency numbers, and where they work. */
const EMERGENCY_NUMBERS = [
  ["112", "eu"],
  ["911", "us"],
  ["999", "gb"],
] as const;

export function EmergencyPage() {
  const { t } = useTranslation("company");
  return (
    <Article title={t("emergency.title")}>
      <p className={classNames(bannerStyles.banner, bannerStyles.error)}>
        <strong>{t("emergency.lead")}</strong>
      </p>
      <p className="lead">{t("emergency.use")}</p>
      <ArticleSection title={t("emergency.numbersTitle")}>
        <dl className={styles.numbers}>
          {EMERGENCY_NUMBERS.map(([number, where]) => (
            <div key={number}>
              <dt className="fig">{number}</dt>
              <dd>{t(`emergency.${where}`)}</dd>
            </div>
          ))}
        </dl>
      </ArticleSection>
      <ArticleSection title={t("emergency.whyTitle")}>
        <p>{t("emergency.why")}</p>
      </ArticleSection>
    </Article>
  );
}

const TERMS = [
  "service",
  "emergency",
  "credit",
  "expiry",
  "refunds",
  "gifts",
  "family",
  "charge",
  "limits",
  "mistakes",
  "use",
  "account",
  "change",
] as const;

/** Length of a tier's calls to ordinary destinations. */
function ordinaryMinutes(tier: RiskTier): number {
  return (longestCallOf({ ratePerMinuteMicros: 0n, firstIntervalSeconds: 1 }, null, tier) ?? 0) / 60;
}

export function TermsPage({ seller }: { readonly seller: SellerNotice }) {
  const { t, i18n } = useTranslation("company");
  const wholeDollars = (micros: Micros) => moneyText(String(micros / MICROS_PER_DOLLAR), i18n.language as Language);
  const figures = {
    minimum: wholeDollars(MIN_TOP_UP_MICROS),
    maximum: wholeDollars(MAX_TOP_UP_MICROS),
    newMinutes: ordinaryMinutes("new"),
    longestMinutes: ordinaryMinutes("trusted"),
    refundDays: REFUND_DAYS,
    returnDays: RETURNABLE_DAYS,
  };
  return (
    <Article title={t("terms.title")} lead={t("terms.lead")}>
      <InForceSince />
      <SellerSection seller={seller} />
      {TERMS.map((term) => (
        <ArticleSection key={term} id={term} title={t(`terms.${term}.title`)}>
          <p>{t(`terms.${term}.text`, figures)}</p>
        </ArticleSection>
      ))}
      <ArticleSection title={t("terms.law.title")}>
        <p>{t("terms.law.text", { law: seller.law })}</p>
      </ArticleSection>
    </Article>
  );
}

function InForceSince() {
  const { t, i18n } = useTranslation("company");
  const date = new Date(LEGAL_TEXTS_DATE).toLocaleDateString(i18n.language, { dateStyle: "long", timeZone: "UTC" });
  return (
    <p className="muted">
      <time dateTime={LEGAL_TEXTS_DATE}>{t("inForceSince", { date })}</time>
    </p>
  );
}

const PRIVACY = [
  "account",
  "signIns",
  "calls",
  "numbers",
  "payments",
  "questions",
  "people",
  "partners",
  "browser",
  "cookies",
  "mail",
  "copy",
  "leaving",
  "kept",
  "rights",
] as const;
/** Retention periods stated on the page. */
const PRIVACY_TIMES = {
  days: ERASURE_GRACE_DAYS,
  export: EXPORT_DAYS,
  months: NUMBERS_KEPT_MONTHS,
  events: SECURITY_EVENTS_KEPT_DAYS,
  ...GIFT_MARKS_KEPT,
};

export function PrivacyPage({ seller }: { readonly seller: SellerNotice }) {
  const { t } = useTranslation("company");
  return (
    <Article title={t("privacy.title")} lead={t("privacy.lead")}>
      <InForceSince />
      <ArticleSection title={t("privacy.responsible.title")}>
        <p>{t("privacy.responsible.text", { seller: [seller.name, ...seller.address].join(", ") })}</p>
      </ArticleSection>
      {PRIVACY.map((part) => (
        <ArticleSection key={part} title={t(`privacy.${part}.title`)}>
          <p>{t(`privacy.${part}.text`, PRIVACY_TIMES)}</p>
          {part === "cookies" && <CookieList />}
          {part === "kept" && (
            <ul className={styles.list}>
              {keptGroups.map((group) => (
                <li key={group}>{t(`privacy.keptList.${group}`, PRIVACY_TIMES)}</li>
              ))}
              <li>{t("privacy.keptBlocked")}</li>
            </ul>
          )}
        </ArticleSection>
      ))}
    </Article>
  );
}

function CookieList() {
  const { t, i18n } = useTranslation("company");
  const duration = (amount: number, unit: "day" | "minute") =>
    new Intl.NumberFormat(i18n.language, { style: "unit", unit, unitDisplay: "long", numberingSystem: "latn" }).format(amount);
  return (
    <ul className={styles.list}>
      {cookies.map(({ name, seconds }) => {
        const time = seconds < DAY_SECONDS ? duration(seconds / 60, "minute") : duration(seconds / DAY_SECONDS, "day");
        return (
          <li key={name}>
            <code dir="ltr">{name}</code> <span>{t(`privacy.cookieList.${name}`)}</span> <span>{`(${time})`}</span>
          </li>
        );
      })}
    </ul>
  );
}

type Parts = Extract<PublicPage, { name: "status" }>["parts"];

const ORDER = ["voice", "payments", "rates", "database"] as const;

/** The current state of each part of the service. */
export function StatusPage({ parts }: { readonly parts: Parts }) {
  const { t } = useTranslation("company");
  const good = ORDER.every((part) => parts[part] === "ok");
  return (
    <Article title={t("status.title")}>
      <p className="lead">{good ? t("status.good") : t("status.bad")}</p>
      <ul className={classNames(cardStyles.card, rowsStyles.rows, styles.status)}>
        {ORDER.map((part) => (
          <li key={part} className={parts[part] === "ok" ? styles.ok : styles.down}>
            <span>{t(`status.parts.${part}`)}</span>
            <span className={styles.word}>
              <Icon of={parts[part] === "ok" ? IconCircleCheckFilled : IconCircleX} />
              <span>{parts[part] === "ok" ? t("status.ok") : t("status.down")}</span>
            </span>
          </li>
        ))}
      </ul>
      <p>
        <a className={buttonStyles.btn} href="/status">
          {t("status.again")}
        </a>
      </p>
    </Article>
  );
}

/** Layout of a text page. */
function Article({ title, lead, children }: { readonly title: string; readonly lead?: string; readonly children: ReactNode }) {
  return (
    <main className={classNames(styles.article, "page")} id="main">
      <h1 className="t-page">{title}</h1>
      {lead !== undefined && <p className="lead">{lead}</p>}
      {children}
    </main>
  );
}

interface ArticleSectionProps {
  readonly title: string;
  /** Links to the section name it. */
  readonly id?: string;
  readonly children: ReactNode;
}

function ArticleSection({ title, id, children }: ArticleSectionProps) {
  return (
    <section id={id}>
      <h2 className="t-card">{title}</h2>
      {children}
    </section>
  );
}

/** Effective date of the terms and the privacy page. Change it together with their texts. */
export const LEGAL_TEXTS_DATE = "2026-11-27";
