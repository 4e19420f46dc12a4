import { ERASURE_GRACE_DAYS, EXPORT_DAYS, keptGroups, NUMBERS_KEPT_MONTHS } from "@farline/contract/constants.ts";
import type { PublicRates, SellerNotice } from "@farline/contract/public-pages.ts";
import { useTranslation } from "react-i18next";
import { priceText } from "../../text/price-text.ts";
import { Article, ArticleSection } from "./article.tsx";
import { LEGAL_TEXTS_DATE } from "./legal-texts-date.ts";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./company-pages.module.css";
import * as bannerStyles from "../../ui/messages/banner.module.css";

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
        {seller.tax_id !== null && <span>{t("seller.taxId", { id: seller.tax_id })}</span>}
      </address>
      {seller.sample && <p className="muted small">{t("seller.sample")}</p>}
    </ArticleSection>
  );
}

interface ContactPageProps {
  readonly supportEmail: string;
  readonly seller: SellerNotice;
}

export function ContactPage({ supportEmail, seller }: ContactPageProps) {
  const { t } = useTranslation(["company", "history", "billing"]);
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

const TERMS = ["service", "emergency", "credit", "expiry", "refunds", "charge", "mistakes", "use", "account", "change"] as const;

export function TermsPage({ seller }: { readonly seller: SellerNotice }) {
  const { t } = useTranslation("company");
  return (
    <Article title={t("terms.title")} lead={t("terms.lead")}>
      <InForceSince />
      <SellerSection seller={seller} />
      {TERMS.map((term) => (
        <ArticleSection key={term} title={t(`terms.${term}.title`)}>
          <p>{t(`terms.${term}.text`)}</p>
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
  "calls",
  "numbers",
  "payments",
  "questions",
  "partners",
  "browser",
  "mail",
  "copy",
  "leaving",
  "kept",
  "rights",
] as const;
/** Retention periods stated on the page. */
const PRIVACY_TIMES = { days: ERASURE_GRACE_DAYS, export: EXPORT_DAYS, months: NUMBERS_KEPT_MONTHS };

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
          {part === "kept" && (
            <ul className={styles.list}>
              {keptGroups.map((group) => (
                <li key={group}>{t(`privacy.keptList.${group}`)}</li>
              ))}
              <li>{t("privacy.keptBlocked")}</li>
            </ul>
          )}
        </ArticleSection>
      ))}
    </Article>
  );
}
