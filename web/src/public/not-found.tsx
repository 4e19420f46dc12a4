import { useTranslation } from "react-i18next";
import cord from "../assets/cord-empty.svg";
import "../ui/empty-state.css";
import "../ui/button.css";
import "../features/company/article.css";

/** The page for an address of the public site that does not exist. */
export function NotFound() {
  const { t } = useTranslation("public");
  return (
    <main className="page article" id="main">
      <div className="empty">
        <img src={cord} alt="" width="240" height="120" loading="lazy" />
        <h1 className="t-card">{t("notFound.title")}</h1>
        <p className="muted">{t("notFound.text")}</p>
        <p className="row">
          <a className="btn btn--action" href="/rates">
            {t("notFound.rates")}
          </a>
          <a className="btn" href="/">
            {t("notFound.home")}
          </a>
        </p>
      </div>
    </main>
  );
}
