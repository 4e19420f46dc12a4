import type { CreditPackage } from "@farline/contract/billing.ts";
import { IconCircleCheckFilled } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { formatMoney, formatWholeDollars } from "../../../../text/format.ts";
import { Fitted } from "../../../../ui/fitted.tsx";
import { Icon } from "../../../../ui/icon.tsx";
import { classNames } from "../../../../ui/class-names.ts";
import * as topUpFormStyles from "../top-up-form.module.css";
import * as styles from "./package-choice.module.css";

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
      <legend className={classNames(topUpFormStyles.legend, "t-sub")}>{t("topUp.choose")}</legend>
      <div className={styles.packs}>
        {packages.map((offer) => (
          <label className={styles.pack} key={offer.id}>
            <input
              type="radio"
              name="package"
              value={offer.id}
              checked={chosen?.id === offer.id}
              onChange={() => onChoose(offer)}
            />
            <span className={styles.card}>
              {offer.is_popular && <span className={styles.pop}>{t("topUp.popular")}</span>}
              <Icon of={IconCircleCheckFilled} className={styles.check} />
              <span className={styles.amount}>
                <Fitted text={formatWholeDollars(offer.amount)} />
              </span>
              {offer.bonus_percentage > 0 && (
                <span className={styles.tags}>
                  <span className={styles.tag}>{t("topUp.free", { percent: offer.bonus_percentage })}</span>
                </span>
              )}
              <span className={styles.get}>
                {t("topUp.packageGives", { amount: formatMoney(offer.total_credits.toFixed(2)) })}
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
