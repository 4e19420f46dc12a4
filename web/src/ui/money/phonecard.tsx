import type { BalanceResponse } from "@farline/contract/billing.ts";
import { formatMoney } from "../../text/format.ts";
import * as styles from "./phonecard.module.css";
import type { CSSProperties, ReactNode } from "react";

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

/** Directional marks, which have no width. */
const DIRECTION_MARKS = /[\u200E\u200F\u2066-\u2069]/g;

interface FittedProps {
  /** The content's text, to know its length. */
  readonly text: string;
  /** The content, if it differs from the text. */
  readonly children?: ReactNode;
}

/** A line that never wraps: its font shrinks to fit the available width. */
export function Fitted({ text, children = text }: FittedProps) {
  return (
    <span className={styles.fitted} style={{ "--letters": text.replace(DIRECTION_MARKS, "").length } as CSSProperties}>
      <span>{children}</span>
    </span>
  );
}
