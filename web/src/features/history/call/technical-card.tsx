import type { Call } from "@farline/contract/calls.ts";
import { useTranslation } from "react-i18next";
import { formatCost } from "../../../text/format.ts";
import { Card } from "../../../ui/card.tsx";
import * as styles from "./technical-card.module.css";

/** The voice provider's ids, for support. Renders nothing if the call never reached the provider. */
export function TechnicalCard({ call }: { readonly call: Call }) {
  const { t } = useTranslation("history");
  const { telnyx_call_control_id: controlId, telnyx_call_leg_id: legId, telnyx_cost: carrierCost } = call;
  if (controlId === null && legId === null) return null;
  return (
    <Card title={t("technical.title")} className={styles.tech}>
      <dl>
        {controlId !== null && (
          <div>
            <dt>{t("technical.controlId")}</dt>
            <dd>
              <code dir="ltr">{controlId}</code>
            </dd>
          </div>
        )}
        {legId !== null && (
          <div>
            <dt>{t("technical.legId")}</dt>
            <dd>
              <code dir="ltr">{legId}</code>
            </dd>
          </div>
        )}
        {carrierCost !== null && (
          <div>
            <dt>{t("technical.carrierCost")}</dt>
            <dd className="fig">{formatCost(carrierCost)}</dd>
          </div>
        )}
      </dl>
    </Card>
  );
}
