import type { Receipt, StatementFormat } from "@farline/contract/billing-documents.ts";
import { IconBraces, IconFileTypePdf, IconTable } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useOnline } from "../../../browser/page-hooks.ts";
import { messageOf, wasCancelled } from "../../../service/http.ts";
import { formatCount, formatDate, formatMoney, formatMonth } from "../../../text/format.ts";
import { formatTogether } from "../../../text/statement-format.ts";
import { Button } from "../../../ui/button.tsx";
import { Card } from "../../../ui/card.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { SelectField } from "../../../ui/forms/form-fields.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Banner } from "../../../ui/messages/banner.tsx";
import { ValueList } from "../../../ui/value-list.tsx";
import { Loaded, NotLoaded, ShowMore } from "../../../ui/waiting/loaded.tsx";
import { downloadDocument, receiptsQuery, statementMonthsQuery, statementQuery } from "../billing-queries.ts";
import * as fieldStyles from "../../../ui/forms/field.module.css";
import * as rowsStyles from "../../../ui/rows.module.css";
import * as styles from "../billing.module.css";
import { leftToRight } from "../../../text/i18n.ts";

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
  const { t } = useTranslation("billing");
  const list = useInfiniteQuery(receiptsQuery);
  if (list.data === undefined) return <NotLoaded of={list} failure={t("receipts.failure")} rows={2} />;
  const receipts = list.data.pages.flatMap((page) => page.data);
  if (receipts.length === 0) return <p className="muted">{t("receipts.empty")}</p>;
  return (
    <>
      <ul className={rowsStyles.rows}>
        {receipts.map((receipt) => (
          <Row key={receipt.id} receipt={receipt} />
        ))}
      </ul>
      <ShowMore of={list} />
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

const FORMATS = [
  { format: "pdf", icon: IconFileTypePdf, name: "PDF" },
  { format: "csv", icon: IconTable, name: "CSV" },
  { format: "json", icon: IconBraces, name: "JSON" },
] as const;

/** Monthly statement: opening balance, changes, closing balance and the download. */
export function StatementCard() {
  const { t } = useTranslation("billing");
  const months = useQuery(statementMonthsQuery);
  return (
    <Card title={t("statement.title")}>
      <Loaded of={months} failure={t("statement.failure")} rows={2}>
        {(data) => <Picker first={data.first_month} last={data.last_month} />}
      </Loaded>
    </Card>
  );
}

function Picker({ first, last }: { readonly first: string; readonly last: string }) {
  const { t } = useTranslation("billing");
  const [chosen, setChosen] = useState<string | null>(null);
  const month = chosen ?? last;
  return (
    <>
      <SelectField label={t("statement.month")} value={month} onChange={(event) => setChosen(event.target.value)}>
        {monthsBetween(first, last).map((one) => (
          <option key={one} value={one}>
            {formatMonth(one, "long")}
          </option>
        ))}
      </SelectField>
      <Summary month={month} />
      <Downloads month={month} />
    </>
  );
}

function Summary({ month }: { readonly month: string }) {
  const { t } = useTranslation("billing");
  const statement = useQuery(statementQuery(month));
  return (
    <Loaded of={statement} failure={t("statement.failure")} rows={3}>
      {({ opening_balance, change, closing_balance, entries }) => {
        const [opening, changed, closing] = formatTogether([opening_balance, change, closing_balance], [false, true]);
        return (
          <ValueList
            className={styles.statementSums}
            aria-live="polite"
            of={[
              { name: t("statement.opening"), value: opening },
              { name: t("statement.change", { count: entries, formatted: formatCount(entries) }), value: changed },
              { name: t("statement.closing"), value: closing },
            ]}
          />
        );
      }}
    </Loaded>
  );
}

function Downloads({ month }: { readonly month: string }) {
  const { t } = useTranslation("billing");
  const online = useOnline();
  const download = useMutation({
    mutationFn: (format: StatementFormat) => downloadDocument({ type: "statement", month, format }),
  });
  return (
    <>
      <div className={styles.statementFiles} role="group" aria-label={t("statement.download")}>
        {FORMATS.map(({ format, icon, name }) => (
          <Button
            key={format}
            busy={download.isPending && download.variables === format}
            disabled={!online}
            aria-label={t("statement.downloadAs", { format: name })}
            onClick={() => download.mutate(format)}
          >
            <Icon of={icon} />
            <span>{name}</span>
          </Button>
        ))}
      </div>
      <p className={fieldStyles.hint}>{t("statement.utc")}</p>
      {download.isError && !wasCancelled(download.error) && (
        <Banner kind="error">{messageOf(download.error, t("statement.downloadFailure"))}</Banner>
      )}
    </>
  );
}

/** Maximum length of the list: ten years. */
const MAX_MONTHS = 120;

/** The months from the last back to the first, both included. @param first "2026-05" */
export function monthsBetween(first: string, last: string): string[] {
  const months: string[] = [];
  let [year = 0, month = 0] = last.split("-").map(Number);
  while (months.length < MAX_MONTHS) {
    const name = `${year}-${String(month).padStart(2, "0")}`;
    if (name < first) break;
    months.push(name);
    month -= 1;
    if (month === 0) {
      month = 12;
      year -= 1;
    }
  }
  return months;
}
