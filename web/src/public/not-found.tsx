import { useTranslation } from "react-i18next";
import cord from "../assets/cord-empty.svg";
import { classNames } from "../ui/class-names.ts";
import * as companyStyles from "../features/company/company.module.css";
import * as emptyStateStyles from "../ui/empty-state.module.css";
import * as buttonStyles from "../ui/button.module.css";

/** The page for an address of the public site that does not exist. */
export function NotFound() {
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
