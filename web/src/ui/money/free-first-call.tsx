import { type BillingRate, longestCallSeconds, minimumFreeCallHold } from "@farline/domain/calls/charge.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { useTranslation } from "react-i18next";
import { useMinutesText } from "../../text/price-text.ts";

/** No call of a new customer is longer. */
const LONGEST_SECONDS = 3600;

interface FreeFirstCallProps {
  /** The grant, dollars. */
  readonly amount: string;
  readonly price: BillingRate;
  readonly country: string;
}

/** On public pages: how long the free first call to a country can be; nothing if the grant is too small for one. */
export function FreeFirstCall({ amount, price, country }: FreeFirstCallProps) {
  const { t } = useTranslation("public");
  const minutesText = useMinutesText();
  const grant = fromDecimalString(amount);
  if (grant < minimumFreeCallHold(price)) return null;
  const seconds = longestCallSeconds(grant, price, LONGEST_SECONDS);
  const minutes = Math.floor(seconds / 60);
  return (
    <p className="small">
      {minutes === 0 ? t("free.seconds", { seconds, country }) : t("free.minutes", { minutes: minutesText(minutes), country })}
    </p>
  );
}
