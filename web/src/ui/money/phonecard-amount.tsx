import type { BalanceResponse } from "@farline/contract/billing.ts";
import { formatMoney } from "../../text/format.ts";
import { Fitted } from "../fitted.tsx";
import * as styles from "./phonecard.module.css";

/** The balance in the phonecard's large figures; a dash until it is known. */
export function PhonecardAmount({ balance }: { readonly balance: BalanceResponse | undefined }) {
  const amount = balance === undefined ? "–" : formatMoney(balance.balance);
  return (
    <p className={styles.amount}>
      {/* The currency is set in small letters: together with the space it is as wide as two digits. */}
      <Fitted text={`00${amount}`}>
        <bdi dir="ltr">
          <small>{balance?.currency ?? "USD"}</small> <span>{amount}</span>
        </bdi>
      </Fitted>
    </p>
  );
}
