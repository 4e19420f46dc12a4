import { IconCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { configQuery } from "../../../service/queries.ts";
import { Icon } from "../../../ui/icon.tsx";
import "../../../ui/ticks.css";
import "./package-choice.css";
import "./top-up-sidebar.css";

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
    <aside className="tu__side stack" aria-label={t("topUp.about")}>
      <section>
        <h2 className="t-sub">{t("topUp.benefitsTitle")}</h2>
        <ul className="ticks">
          {benefits.map((benefit) => (
            <li key={benefit}>
              <Icon of={IconCheck} />
              <span>{t(benefit)}</span>
            </li>
          ))}
        </ul>
      </section>
      {config.data?.mode === "sandbox" ? (
        <figure className="quote">
          <blockquote className="quote__text">{t("topUp.testimonial")}</blockquote>
          <figcaption className="muted">
            <span>{t("topUp.testimonialBy")}</span> <span className="pack__tag">{t("topUp.testimonialSample")}</span>
          </figcaption>
        </figure>
      ) : (
        <section className="quote">
          <h2 className="t-sub">{t("topUp.promiseTitle")}</h2>
          <p>{t("topUp.promise")}</p>
        </section>
      )}
      <p>
        <Link className="link" to="/billing">
          {t("topUp.statement")}
        </Link>
      </p>
    </aside>
  );
}
