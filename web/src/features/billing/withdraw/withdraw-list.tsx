import type { Withdrawal } from "@farline/contract/billing.ts";
import { useTranslation } from "react-i18next";
import { formatDate, formatMoney } from "../../../text/format.ts";
import { Button } from "../../../ui/button.tsx";
import { StatusBadge } from "../../../ui/status-badge.tsx";
import { cardText } from "../top-up/card-text.ts";
import * as styles from "../billing.module.css";
import * as rowsStyles from "../../../ui/rows.module.css";

interface WithdrawListProps {
  readonly withdrawals: readonly Withdrawal[];
  readonly more: (() => void) | null;
  readonly busy: boolean;
}

/** Earlier withdrawals, with a line for each card. */
export function WithdrawList({ withdrawals, more, busy }: WithdrawListProps) {
  const { t } = useTranslation(["billing", "common"]);
  const lines = withdrawals.flatMap(({ id, created_at: at, parts }) =>
    parts.map((part, index) => ({ ...part, at, key: `${id} ${index}` })),
  );
  if (lines.length === 0) return null;
  return (
    <>
      <h3 className={styles.earlier}>{t("withdraw.earlier")}</h3>
      <ul className={rowsStyles.rows}>
        {lines.map((line) => (
          <li key={line.key} className={styles.withdrawal}>
            <span>
              <b>{formatMoney(line.amount)}</b>
              <br />
              <span className={rowsStyles.meta}>
                <time dateTime={line.at}>{formatDate(line.at)}</time>
                {line.card !== null && (
                  <>
                    <span>{" · "}</span>
                    <span className={styles.withdrawalCard}>{cardText(line.card)}</span>
                  </>
                )}
              </span>
            </span>
            <StatusBadge status={SHOWN[line.status]} quiet={line.status === "succeeded"} />
            {line.waits_for && <p className={styles.reason}>{t(`withdraw.waitsFor.${line.waits_for}`)}</p>}
            {line.status === "failed" && <p className={styles.reason}>{t("withdraw.failed")}</p>}
          </li>
        ))}
      </ul>
      {more !== null && (
        <Button wide busy={busy} onClick={more}>
          {t("common:showMore")}
        </Button>
      )}
    </>
  );
}

/** Our queue and the bank's are the same state for the customer. */
const SHOWN = { ordered: "pending", pending: "pending", succeeded: "completed", failed: "failed" } as const;
