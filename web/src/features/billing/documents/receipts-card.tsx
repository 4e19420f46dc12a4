import type { Receipt } from "@farline/contract/billing-documents.ts";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { formatDate, formatMoney } from "../../../text/format.ts";
import { leftToRight } from "../../../text/left-to-right.ts";
import { Card } from "../../../ui/card.tsx";
import { LoadFailure } from "../../../ui/empty-state.tsx";
import { Button } from "../../../ui/button.tsx";
import { SkeletonRows } from "../../../ui/waiting/skeleton.tsx";
import { receiptsQuery } from "./documents-queries.ts";
import { classNames } from "../../../ui/class-names.ts";
import * as rowsStyles from "../../../ui/rows.module.css";
import * as styles from "../billing.module.css";

/** The receipts of payments and refunds. */
export function ReceiptsCard() {
  const { t } = useTranslation("billing");
  return (
    <Card title={t("receipts.title")}>
      <List />
    </Card>
  );
}

function List() {
  const { t } = useTranslation(["billing", "common"]);
  const list = useInfiniteQuery(receiptsQuery);
  if (list.data === undefined)
    return list.isError ? <LoadFailure text={t("receipts.failure")} of={list} /> : <SkeletonRows rows={2} />;
  const receipts = list.data.pages.flatMap((page) => page.data);
  if (receipts.length === 0) return <p className="muted">{t("receipts.empty")}</p>;
  return (
    <>
      <ul className={rowsStyles.rows}>
        {receipts.map((receipt) => (
          <Row key={receipt.id} receipt={receipt} />
        ))}
      </ul>
      {list.hasNextPage && (
        <Button wide busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t("common:showMore")}
        </Button>
      )}
    </>
  );
}

function Row({ receipt }: { readonly receipt: Receipt }) {
  const { t } = useTranslation("billing");
  return (
    <li>
      <Link className={classNames(rowsStyles.crow, styles.receiptRow)} to={`/billing/receipts/${receipt.id}`}>
        <span>
          <span className={rowsStyles.name}>{leftToRight(receipt.number)}</span>
          <br />
          <span className={rowsStyles.meta}>
            <span>{`${t(`receipts.kind.${receipt.kind}`)} · `}</span>
            <time dateTime={receipt.paid_at}>{formatDate(receipt.paid_at)}</time>
          </span>
        </span>
        <span className={rowsStyles.sum}>{formatMoney(receipt.amount)}</span>
      </Link>
    </li>
  );
}
