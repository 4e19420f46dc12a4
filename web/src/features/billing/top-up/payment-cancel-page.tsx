import { useTranslation } from "react-i18next";
import { useTitle } from "../../../browser/use-title.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import "../../../ui/line.css";
import "../../../ui/ticks.css";
import "./payment-outcome.css";

const reasons = ["cancel.reason.back", "cancel.reason.late", "cancel.reason.bank", "cancel.reason.card"] as const;

/** The card provider redirects here when the payment is cancelled. */
export function PaymentCancelPage() {
  const { t } = useTranslation("billing");
  useTitle(t("cancel.title"));
  return (
    <div className="pay">
      <section className="receipt" aria-labelledby="outcome">
        <div className="receipt__head">
          <h1 className="t-page" id="outcome">
            {t("cancel.title")}
          </h1>
          <p className="lead">{t("cancel.lead")}</p>
          <div className="line line--idle" aria-hidden="true">
            <i />
          </div>
        </div>
        <div className="receipt__why">
          <h2 className="t-sub">{t("cancel.reasons")}</h2>
          <ul className="ticks ticks--dot">
            {reasons.map((reason) => (
              <li key={reason}>{t(reason)}</li>
            ))}
          </ul>
        </div>
        <div className="receipt__do">
          <ButtonLink pair="credit" size="lg" to="/topup">
            {t("cancel.again")}
          </ButtonLink>
          <ButtonLink to="/dashboard">{t("cancel.dashboard")}</ButtonLink>
        </div>
      </section>
    </div>
  );
}
