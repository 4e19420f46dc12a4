import type { CreditPackage } from "@farline/contract/billing.ts";
import { IconCircleCheckFilled } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { formatMoney, formatWholeDollars } from "../../../text/format.ts";
import { Fitted } from "../../../ui/fitted.tsx";
import { Icon } from "../../../ui/icon.tsx";
import "./top-up-form.css";
import "./package-choice.css";

interface PackageChoiceProps {
  readonly packages: readonly CreditPackage[];
  readonly chosen: CreditPackage | undefined;
  readonly onChoose: (choice: CreditPackage) => void;
}

/** Packages as large radio buttons. A border and check mark the choice, not colour alone. */
export function PackageChoice({ packages, chosen, onChoose }: PackageChoiceProps) {
  const { t } = useTranslation("billing");
  return (
    <fieldset>
      <legend className="t-sub tu__legend">{t("topUp.choose")}</legend>
      <div className="packs">
        {packages.map((offer) => (
          <label className="pack" key={offer.id}>
            <input
              type="radio"
              name="package"
              value={offer.id}
              checked={chosen?.id === offer.id}
              onChange={() => onChoose(offer)}
            />
            <span className="pack__in">
              {offer.is_popular && <span className="pack__pop">{t("topUp.popular")}</span>}
              <Icon of={IconCircleCheckFilled} className="pack__check" />
              <span className="pack__amount">
                <Fitted text={formatWholeDollars(offer.amount)} />
              </span>
              {offer.bonus_percentage > 0 && (
                <span className="pack__tags">
                  <span className="pack__tag">{t("topUp.free", { percent: offer.bonus_percentage })}</span>
                </span>
              )}
              <span className="pack__get">
                {t("topUp.packageGives", { amount: formatMoney(offer.total_credits.toFixed(2)) })}
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
