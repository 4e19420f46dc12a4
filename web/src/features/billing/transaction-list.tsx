import type { Transaction } from "@farline/contract/billing.ts";
import { useInfiniteQuery } from "@tanstack/react-query";
import { IconMinus, IconPlus } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { formatDate, formatSigned } from "../../lib/format.ts";
import { Card } from "../../ui/card.tsx";
import { classNames } from "../../ui/class-names.ts";
import { EmptyState, LoadFailure } from "../../ui/empty-state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Key } from "../../ui/key.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { StatusBadge } from "../../ui/status-badge.tsx";
import { transactionsQuery } from "./billing-queries.ts";

/** The statement: every change of the balance, newest first. */
export function TransactionList() {
  const { t } = useTranslation("billing");
  return (
    <Card title={t("list.title")}>
      <Rows />
    </Card>
  );
}

function Rows() {
  const { t } = useTranslation(["billing", "common"]);
  const list = useInfiniteQuery(transactionsQuery);
  if (list.data === undefined)
    return list.isError ? (
      <LoadFailure text={t("transactionsFailure")} busy={list.isFetching} onRetry={() => void list.refetch()} />
    ) : (
      <SkeletonRows rows={5} />
    );
  const rows = list.data.pages.flatMap((page) => page.data);
  if (rows.length === 0) return <EmptyState as="p" title={t("list.empty")} />;
  return (
    <>
      <ul className="rows">
        {rows.map((row) => (
          <Row key={row.id} row={row} />
        ))}
      </ul>
      {list.hasNextPage && (
        <Key wide busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t("common:showMore")}
        </Key>
      )}
    </>
  );
}

/** One entry. A payment that failed is struck through and has no yellow sign: it never became credit. */
function Row({ row }: { readonly row: Transaction }) {
  const { t } = useTranslation("billing");
  const credit = row.type === "credit";
  const failed = row.status === "failed";
  return (
    <li className={classNames("crow txrow", failed && "txrow--failed")}>
      <span
        className={`sign sign--${failed ? "off" : row.type}`}
        role="img"
        aria-label={t(credit ? "list.credit" : "list.debit")}
      >
        <Icon of={credit ? IconPlus : IconMinus} />
      </span>
      <span>
        <span className="crow__name">{row.description}</span>
        <br />
        <time className="crow__meta" dateTime={row.created_at}>
          {formatDate(row.created_at)}
        </time>
      </span>
      <span className="crow__sum txrow__a">{formatSigned(row.amount, row.type)}</span>
      <span className="txrow__s">
        <StatusBadge status={row.status} quiet={row.status === "completed"} />
      </span>
    </li>
  );
}
