import { IconCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { configQuery } from "../../../service/queries.ts";
import { Icon } from "../../../ui/icon.tsx";
import { classNames } from "../../../ui/class-names.ts";
import * as styles from "./top-up.module.css";
import * as ticksStyles from "../../../ui/ticks.module.css";

const benefits = [
  "topUp.benefit.anyPhone",
  "topUp.benefit.noConnectionFee",
  "topUp.benefit.noSubscription",
  "topUp.benefit.unanswered",
] as const;

/** Benefits of credit, plus a labelled sample testimonial in the sandbox or else the rate promise. */
export function TopUpSidebar() {
  const { t } = useTranslation("billing");
  const config = useQuery(configQuery);
  return (
    <aside className={classNames(styles.side, "stack")} aria-label={t("topUp.about")}>
      <section>
        <h2 className="t-sub">{t("topUp.benefitsTitle")}</h2>
        <ul className={ticksStyles.ticks}>
          {benefits.map((benefit) => (
            <li key={benefit}>
              <Icon of={IconCheck} />
              <span>{t(benefit)}</span>
            </li>
          ))}
        </ul>
      </section>
      {config.data?.mode === "sandbox" ? (
        <figure className={styles.quote}>
          <blockquote className={styles.sideText}>{t("topUp.testimonial")}</blockquote>
          <figcaption className="muted">
            <span>{t("topUp.testimonialBy")}</span> <span className={styles.tag}>{t("topUp.testimonialSample")}</span>
          </figcaption>
        </figure>
      ) : (
        <section className={styles.quote}>
          <h2 className="t-sub">{t("topUp.promiseTitle")}</h2>
          <p>{t("topUp.promise")}</p>
        </section>
      )}
      <p>
        <Link className="link" to="/family">
          {t("topUp.family")}
        </Link>
      </p>
      <p>
        <Link className="link" to="/billing">
          {t("topUp.statement")}
        </Link>
      </p>
    </aside>
  );
}
