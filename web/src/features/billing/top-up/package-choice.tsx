import type { CreditPackage } from "@farline/contract/billing.ts";
import type { Rate } from "@farline/contract/rates.ts";
import { parseDollars } from "@farline/domain/money.ts";
import { IconCircleCheckFilled } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import * as styles from "./top-up.module.css";
import { formatMinutes, formatMoney, formatWholeDollars } from "../../../text/format.ts";
import { localCountryName } from "../../../text/local-text.ts";
import { classNames } from "../../../ui/class-names.ts";
import { Fitted } from "../../../ui/money/phonecard.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { talkMinutes } from "./talk-time.tsx";

interface PackageChoiceProps {
  readonly packages: readonly CreditPackage[];
  readonly chosen: CreditPackage | undefined;
  /** The price by which each package is said in minutes; null if none is known. */
  readonly talk: Rate | null;
  readonly onChoose: (choice: CreditPackage) => void;
}

/** Packages as large radio buttons. A border and check mark the choice, not colour alone. */
export function PackageChoice({ packages, chosen, talk, onChoose }: PackageChoiceProps) {
  const { t } = useTranslation("billing");
  return (
    <fieldset>
      <legend className={classNames(styles.legend, "t-sub")}>{t("topUp.choose")}</legend>
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
            <span className={styles.packCard}>
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
              {talk !== null && <Minutes offer={offer} talk={talk} />}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** "About 45 min to Ghana". */
function Minutes({ offer, talk }: { readonly offer: CreditPackage; readonly talk: Rate }) {
  const { t, i18n } = useTranslation("billing");
  const credit = parseDollars(offer.total_credits);
  const minutes = credit === null ? null : talkMinutes(credit, talk);
  if (minutes === null) return null;
  const country = localCountryName(i18n.language, talk.country_code, talk.country_name);
  return <strong className={styles.minutes}>{t("talk.to", { minutes: formatMinutes(minutes), country })}</strong>;
}
