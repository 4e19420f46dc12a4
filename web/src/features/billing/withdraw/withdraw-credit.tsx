import { fromDecimalString, type Micros, toDecimalString } from "@farline/domain/money.ts";
import { readDollars } from "@farline/domain/typed/typed-dollars.ts";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { randomId } from "../../../browser/random-id.ts";
import { formatMoney } from "../../../text/format.ts";
import { useOnline } from "../../../browser/use-online.ts";
import { Card } from "../../../ui/card.tsx";
import { MoneyField } from "../../../ui/forms/money-field.tsx";
import { Button } from "../../../ui/button.tsx";
import { WithdrawDialog, type WithdrawalRequest } from "./withdraw-dialog.tsx";
import { WithdrawList } from "./withdraw-list.tsx";
import { withdrawalsQuery } from "./withdraw-queries.ts";
import { Form } from "../../../ui/forms/form.tsx";
import * as styles from "../billing.module.css";
import * as fieldStyles from "../../../ui/forms/field.module.css";

/** Returns unused credit to the card. Hidden from customers who never had anything to withdraw. */
export function WithdrawCredit() {
  const { t } = useTranslation("billing");
  const list = useInfiniteQuery(withdrawalsQuery);
  const first = list.data?.pages[0];
  if (first === undefined) return null;
  const maxMicros = fromDecimalString(first.withdrawable);
  const withdrawals = list.data?.pages.flatMap((page) => page.withdrawals.data) ?? [];
  const voucherMicros = fromDecimalString(first.not_returnable);
  if (maxMicros === 0n && voucherMicros === 0n && withdrawals.length === 0) return null;
  return (
    <Card title={t("withdraw.title")}>
      <p className="muted small">{t("withdraw.text")}</p>
      {maxMicros === 0n ? (
        <p className={styles.nothing}>{t("withdraw.nothing")}</p>
      ) : (
        // A new maximum resets the form; earlier input no longer applies.
        <WithdrawForm key={first.withdrawable} maxMicros={maxMicros} minMicros={fromDecimalString(first.min)} />
      )}
      {voucherMicros > 0n && (
        <p className="muted small">
          <span>{t("withdraw.voucher", { amount: formatMoney(first.not_returnable) })}</span>{" "}
          <Link className="link" to="/cases/new">
            {t("notice.contact")}
          </Link>
        </p>
      )}
      {fromDecimalString(first.bonus_kept) > 0n && (
        <p className="muted small">{t("withdraw.kept", { kept: formatMoney(first.bonus_kept) })}</p>
      )}
      <WithdrawList
        withdrawals={withdrawals}
        more={list.hasNextPage ? () => void list.fetchNextPage() : null}
        busy={list.isFetchingNextPage}
      />
    </Card>
  );
}

interface Bounds {
  readonly maxMicros: Micros;
  readonly minMicros: Micros;
}

function WithdrawForm({ maxMicros, minMicros }: Bounds) {
  const { t } = useTranslation("billing");
  const online = useOnline();
  const [typed, setTyped] = useState(() => toDecimalString(maxMicros));
  const [asked, setAsked] = useState<WithdrawalRequest | null>(null);
  const [wrong, setWrong] = useState(false);
  const amountMicros = withinBounds(typed, { maxMicros, minMicros });
  const max = formatMoney(toDecimalString(maxMicros));
  const min = formatMoney(toDecimalString(minMicros));
  return (
    <>
      <Form
        className={styles.withdrawForm}
        noValidate
        onSubmit={() => {
          setWrong(amountMicros === null);
          if (amountMicros !== null && online) setAsked({ amount: toDecimalString(amountMicros), requestKey: randomId() });
        }}
      >
        <MoneyField
          label={t("withdraw.amount")}
          {...(readDollars(typed) === null && typed !== ""
            ? { error: t("amount.unreadable") }
            : wrong && amountMicros === null
              ? { error: maxMicros < minMicros ? t("withdraw.all", { max }) : t("withdraw.bounds", { min, max }) }
              : { hint: t("withdraw.upTo", { max }) })}
          value={typed}
          onValue={setTyped}
        />
        <Button type="submit" disabled={!online}>
          {t("withdraw.submit")}
        </Button>
      </Form>
      {!online && <p className={fieldStyles.hint}>{t("offlineReason")}</p>}
      <WithdrawDialog request={asked} onClose={() => setAsked(null)} />
    </>
  );
}

/** The typed amount if the service would accept it, otherwise null. */
function withinBounds(typed: string, { maxMicros, minMicros }: Bounds): Micros | null {
  const micros = readDollars(typed);
  if (micros === null || micros === 0n || micros > maxMicros) return null;
  return micros < minMicros && micros !== maxMicros ? null : micros;
}
