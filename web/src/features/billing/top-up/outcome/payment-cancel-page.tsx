import { useTranslation } from "react-i18next";
import { useTitle } from "../../../../browser/use-title.ts";
import { ButtonLink } from "../../../../ui/button.tsx";
import { classNames } from "../../../../ui/class-names.ts";
import * as styles from "../../documents/receipt.module.css";
import * as lineStyles from "../../../../ui/line.module.css";
import * as ticksStyles from "../../../../ui/ticks.module.css";

const reasons = ["cancel.reason.back", "cancel.reason.late", "cancel.reason.bank", "cancel.reason.card"] as const;

/** The card provider redirects here when the payment is cancelled. */
export function PaymentCancelPage() {
  const { t } = useTranslation("billing");
  useTitle(t("cancel.title"));
  return (
    <div className={styles.pay}>
      <section className={styles.slip} aria-labelledby="outcome">
        <div className={styles.head}>
          <h1 className="t-page" id="outcome">
            {t("cancel.title")}
          </h1>
          <p className="lead">{t("cancel.lead")}</p>
          <div className={classNames(lineStyles.line, lineStyles.idle, styles.line)} aria-hidden="true">
            <i />
          </div>
        </div>
        <div className={styles.why}>
          <h2 className="t-sub">{t("cancel.reasons")}</h2>
          <ul className={classNames(ticksStyles.ticks, ticksStyles.dot)}>
            {reasons.map((reason) => (
              <li key={reason}>{t(reason)}</li>
            ))}
          </ul>
        </div>
        <div className={styles.actions}>
          <ButtonLink pair="credit" size="lg" to="/topup">
            {t("cancel.again")}
          </ButtonLink>
          <ButtonLink to="/dashboard">{t("cancel.dashboard")}</ButtonLink>
        </div>
      </section>
    </div>
  );
}
