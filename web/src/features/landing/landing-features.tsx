import type { PublicRates } from "@farline/contract/public-pages.ts";
import { IconLock, IconMail, IconMicrophone } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { priceText } from "../../text/price-text.ts";
import { classNames } from "../../ui/class-names.ts";
import { Icon } from "../../ui/icon.tsx";
import { popularRates } from "./landing-rates.ts";
import * as diallingStyles from "../../ui/dialling/dialling.module.css";
import * as lineStyles from "../../ui/line.module.css";
import * as styles from "./landing-parts.module.css";

const EXAMPLES = 3;
const MINUTE_EXAMPLE = "IN";

/** Six cards, each with evidence for its claim. */
export function Features({ rates }: { readonly rates: PublicRates | null }) {
  const { t, i18n } = useTranslation(["landing", "public"]);
  const price = priceText(i18n.language);
  const popular = rates === null ? [] : popularRates(rates.rates);
  const minute = popular.find((rate) => rate.country_code === MINUTE_EXAMPLE) ?? popular[0];
  return (
    <section className={styles.features} id="features" aria-labelledby="features-title">
      <div className="page">
        <h2 className="t-section" id="features-title">
          {t("features.title")}
        </h2>
        <ul className={styles.feat}>
          <li className={classNames(styles.cheap, "on-credit")}>
            <h3 className={styles.big}>{t("features.price.title")}</h3>
            <p className="lead">{t("features.price.text")}</p>
            <dl className={styles.bill}>
              {popular.slice(-EXAMPLES).map((rate) => (
                <div key={rate.country_code}>
                  <dt>{t("features.price.example", { country: rate.country_name })}</dt>
                  <dd>
                    <span>{price.rate(rate.our_rate_per_minute)}</span>
                    <span>{t("public:perMinute")}</span>
                  </dd>
                </div>
              ))}
            </dl>
          </li>
          <li className={styles.sub}>
            <h3 className="t-card">{t("features.subscriptions.title")}</h3>
            <p className="muted">{t("features.subscriptions.text")}</p>
            <dl className={styles.bill}>
              <div>
                <dt>{t("features.subscriptions.fee")}</dt>
                <dd>{price.nothing(2)}</dd>
              </div>
              <div>
                <dt>{t("features.subscriptions.contract")}</dt>
                <dd>{t("features.subscriptions.none")}</dd>
              </div>
            </dl>
          </li>
          <li className={styles.fee}>
            <h3 className="t-card">{t("features.fees.title")}</h3>
            <p className="muted">{t("features.fees.text")}</p>
            <dl className={styles.bill}>
              <div>
                <dt>00:00</dt>
                <dd>{price.nothing(4)}</dd>
              </div>
              {minute !== undefined && (
                <div>
                  <dt>{t("features.fees.minute", { country: minute.country_name })}</dt>
                  <dd>{price.rate(minute.our_rate_per_minute)}</dd>
                </div>
              )}
            </dl>
          </li>
          <SmallCards />
        </ul>
      </div>
    </section>
  );
}

function SmallCards() {
  const { t } = useTranslation(["landing", "public"]);
  return (
    <>
      <li className={styles.app}>
        <h3 className="t-card">{t("features.download.title")}</h3>
        <p className="muted">{t("features.download.text")}</p>
        <p className={styles.addr} aria-hidden="true">
          <Icon of={IconLock} />
          <span>{t("public:brand")}</span>
          <Icon of={IconMicrophone} />
        </p>
      </li>
      <li className={styles.num}>
        <h3 className="t-card">{t("features.number.title")}</h3>
        <p className="muted">{t("features.number.text")}</p>
        <p className={classNames(styles.addr, styles.mail)} aria-hidden="true">
          <Icon of={IconMail} />
          <span>{t("features.number.example")}</span>
        </p>
      </li>
      <li className={classNames(styles.quality, "on-panel")}>
        <h3 className="t-card">{t("features.quality.title")}</h3>
        <p className="muted">{t("features.quality.text")}</p>
        <div className={styles.meter} aria-hidden="true">
          <div className={lineStyles.line}>
            <i />
          </div>
          <div className="spread">
            <span className={diallingStyles.quality} data-q="5">
              <span className={diallingStyles.bars}>
                <i />
                <i />
                <i />
                <i />
                <i />
              </span>
              <span>{t("features.quality.excellent")}</span>
            </span>
            <span className="fig muted small">04:12</span>
          </div>
        </div>
      </li>
    </>
  );
}
