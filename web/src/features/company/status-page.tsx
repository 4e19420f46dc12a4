import type { PublicPage } from "@farline/contract/public-pages.ts";
import { IconCircleCheckFilled, IconCircleX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import { Article } from "./article.tsx";
import { classNames } from "../../ui/class-names.ts";
import * as cardStyles from "../../ui/card.module.css";
import * as rowsStyles from "../../ui/rows.module.css";
import * as styles from "./company.module.css";
import * as buttonStyles from "../../ui/button.module.css";

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
