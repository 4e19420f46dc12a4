import { useTranslation } from "react-i18next";
import cord from "../../assets/cord-empty.svg";
import * as emptyStateStyles from "../../ui/empty-state.module.css";

/** Shown instead of the cards if the search finds none. */
export function NoCountries() {
  const { t } = useTranslation("rates");
  return (
    <div className={emptyStateStyles.empty}>
      <img src={cord} alt="" width="240" height="120" loading="lazy" />
      <p className="t-card">{t("all.none")}</p>
      <p className="muted">{t("all.noneText")}</p>
    </div>
  );
}
