import type { Transaction, TransactionGroup } from "@farline/contract/billing.ts";
import { transactionGroups } from "@farline/contract/constants.ts";
import { commonDecimals, fromDecimalString } from "@farline/domain/money.ts";
import { IconLock, IconMinus, IconPlus } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useOtherSite } from "../../browser/open-tab.ts";
import { balanceQuery, refreshMoney } from "../../service/queries.ts";
import { formatDate, formatMoney, formatSigned } from "../../text/format.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Banner } from "../../ui/messages/banner.tsx";
import { OtherTabNotice } from "../../ui/other-tab-notice.tsx";
import { Badge, StatusBadge } from "../../ui/status-badge.tsx";
import { useChange } from "../../ui/use-change.ts";
import { seenAt } from "../../service/last-seen.ts";
import { NewestFirst, NotLoaded, ShowMore } from "../../ui/waiting/loaded.tsx";
import { endCheckout, transactionsQuery } from "./billing-queries.ts";
import { calledNumber, useKindText } from "./billing-texts.ts";
import * as rowsStyles from "../../ui/rows.module.css";
import * as styles from "./billing.module.css";

/** The statement: every change of the balance with the balance after it, newest first. */
export function TransactionList() {
  const { t } = useTranslation("billing");
  const [group, setGroup] = useState<TransactionGroup>("all");
  return (
    <Card title={t("list.title")}>
      <div className={styles.txfilter} role="group" aria-label={t("list.filter")}>
        {transactionGroups.map((option) => (
          <button
            key={option}
            className={rowsStyles.chip}
            type="button"
            aria-pressed={option === group}
            onClick={() => setGroup(option)}
          >
            {t(`list.group.${option}`)}
          </button>
        ))}
      </div>
      <Rows key={group} group={group} />
    </Card>
  );
}

function Rows({ group }: { readonly group: TransactionGroup }) {
  const { t } = useTranslation("billing");
  const list = useInfiniteQuery(transactionsQuery(group));
  if (list.data === undefined) return <NotLoaded of={list} failure={t("transactionsFailure")} rows={5} />;
  const rows = list.data.pages.flatMap((page) => page.data);
  const withHeld = group === "all" || group === "calls";
  return (
    <div className={styles.txlist}>
      {withHeld && <HeldRow />}
      {rows.length === 0 && <EmptyState as="p" title={t(group === "all" ? "list.empty" : "list.none")} />}
      <NewestFirst rows={rows} first={rows[0]?.id} seen={seenAt("transactions", list)}>
        {(shown) => (
          <ul className={rowsStyles.rows}>
            {shown.map((row) => (
              <Row key={row.id} row={row} />
            ))}
          </ul>
        )}
      </NewestFirst>
      {rows.some(isCut) && <p className={rowsStyles.meta}>{t("list.rounded")}</p>}
      <ShowMore of={list} />
    </div>
  );
}

/** Whether a row shows fewer decimals than its amounts have. */
function isCut({ amount, balance_after: after }: Transaction): boolean {
  return commonDecimals([amount, after ?? amount].map(fromDecimalString)) === 6;
}

/** Credit held for running calls: not yet charged, so it has no entry. */
function HeldRow() {
  const { t } = useTranslation("billing");
  const held = useQuery(balanceQuery).data?.held ?? "0.00";
  if (fromDecimalString(held) === 0n) return null;
  return (
    <div className={classNames(rowsStyles.crow, styles.txrow, styles.held)}>
      <span className={styles.sign}>
        <Icon of={IconLock} />
      </span>
      <span>
        <span className={rowsStyles.name}>{t("list.held")}</span>
        <br />
        <span className={rowsStyles.meta}>{t("list.heldHint")}</span>
      </span>
      <span className={classNames(rowsStyles.sum, styles.amount)}>{formatMoney(held, 4)}</span>
      <span className={styles.status}>
        <StatusBadge status="pending" />
      </span>
    </div>
  );
}

/** One entry, or an uncredited card payment, which has no yellow icon and no balance. */
function Row({ row }: { readonly row: Transaction }) {
  const { t } = useTranslation("billing");
  const kindText = useKindText();
  const credit = row.type === "credit";
  const ended = row.status === "failed" || row.status === "cancelled";
  const isEntry = row.balance_after !== null;
  const named = row.kind === "call" ? row.contact_name : null;
  return (
    <li className={classNames(rowsStyles.crow, styles.txrow, ended && styles.ended)}>
      <span
        className={classNames(styles.sign, isEntry && credit && styles.signCredit)}
        role="img"
        aria-label={t(!isEntry ? (ended ? "list.unpaid" : "list.open") : credit ? "list.credit" : "list.debit")}
      >
        <Icon of={credit ? IconPlus : IconMinus} />
      </span>
      <span>
        <span className={rowsStyles.name}>{named ?? kindText(row)}</span>
        <br />
        {named !== null && <span className={classNames(rowsStyles.meta, styles.why)}>{calledNumber(row)}</span>}
        <span className={classNames(rowsStyles.meta, styles.facts)}>
          <time dateTime={row.created_at}>{formatDate(row.created_at)}</time>
          <RowLink row={row} />
          <HelpLink row={row} />
          {row.can_pay_again && <PayAgain amount={row.amount} />}
        </span>
        {row.status === "pending" && row.checkout_url === null && (
          <span className={classNames(rowsStyles.meta, styles.why)}>
            {t(row.about === "on_its_way" ? "list.onItsWay" : "list.open")}
          </span>
        )}
        {row.checkout_url !== null && <OpenCheckout row={row} url={row.checkout_url} />}
        {row.problem !== null && <span className={classNames(rowsStyles.meta, styles.why)}>{t(`problem.${row.problem}`)}</span>}
      </span>
      <span className={classNames(rowsStyles.sum, styles.amount)}>
        <RowAmount row={row} />
      </span>
      <span className={styles.status}>
        {row.checkout_url === null ? (
          <StatusBadge status={row.status} quiet={row.status === "completed"} />
        ) : (
          <Badge>
            <span>{t("list.notPaid")}</span>
          </Badge>
        )}
      </span>
    </li>
  );
}

/** Pays or ends a payment that its customer left at the provider's page. The service then says what became of it. */
function OpenCheckout({ row, url }: { readonly row: Transaction; readonly url: string }) {
  const { t } = useTranslation("billing");
  const site = useOtherSite();
  const { busy, failure, change } = useChange(t("list.endFailure"));
  const amount = formatMoney(row.amount);
  const end = async () => {
    await endCheckout(row.id);
    await refreshMoney();
  };
  return (
    <>
      <span className={rowsStyles.chips}>
        <Button
          size="sm"
          pair="action"
          busy={site.busy}
          aria-label={t("list.payNowWhich", { amount })}
          onClick={() => void site.go(async () => url)}
        >
          {t("list.payNow")}
        </Button>
        <Button size="sm" busy={busy} aria-label={t("list.endWhich", { amount })} onClick={() => void change(end)}>
          {t("list.end")}
        </Button>
      </span>
      <OtherTabNotice tab={site.tab} />
      {failure !== null && <Banner kind="error">{failure}</Banner>}
    </>
  );
}

function PayAgain({ amount }: { readonly amount: string }) {
  const { t } = useTranslation("billing");
  return (
    <Link
      className={styles.link}
      to={`/topup?amount=${amount}`}
      aria-label={t("list.payAgainWhich", { amount: formatMoney(amount) })}
    >
      {t("list.payAgain")}
    </Link>
  );
}

/** The amount of an entry and the balance after it; for an uncredited payment, the amount to be paid. */
function RowAmount({ row }: { readonly row: Transaction }) {
  const { t } = useTranslation("billing");
  const isCall = row.kind === "call" || row.kind === "call_refund";
  /** Payments are whole cents; calls have the decimals of their prices. */
  const decimals = (dollars: string) => (!isCall && commonDecimals([fromDecimalString(dollars)]) === 2 ? 2 : 4);
  if (row.balance_after === null) return <span>{formatMoney(row.amount, decimals(row.amount))}</span>;
  return (
    <>
      <span>{formatSigned(row.amount, row.type, decimals(row.amount))}</span>
      <span className={classNames(rowsStyles.meta, styles.after)}>
        {t("list.after", { balance: formatMoney(row.balance_after, decimals(row.balance_after)) })}
      </span>
    </>
  );
}

/** A link from an entry to its receipt or its call. */
function RowLink({ row }: { readonly row: Transaction }) {
  const { t } = useTranslation("billing");
  const call = row.kind === "call" || row.kind === "call_refund" ? row.reference_id : null;
  if (row.receipt_id === null && call === null) return null;
  const to = row.receipt_id === null ? `/call/${call}` : `/billing/receipts/${row.receipt_id}`;
  return (
    <Link className={styles.link} to={to}>
      {t(row.receipt_id === null ? "list.call" : "list.receipt")}
    </Link>
  );
}

/** A link from a payment to the form that asks about it. */
function HelpLink({ row }: { readonly row: Transaction }) {
  const { t } = useTranslation("billing");
  if (row.kind !== "top_up" || row.reference_id === null) return null;
  return (
    <Link
      className={styles.link}
      to={`/cases/new?payment=${row.reference_id}`}
      aria-label={t("list.helpWith", { amount: formatMoney(row.amount) })}
    >
      {t("list.help")}
    </Link>
  );
}
